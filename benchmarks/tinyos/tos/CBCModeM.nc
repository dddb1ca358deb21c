module CBCModeM {
  provides interface BlockCipherMode;
  uses interface BlockCipher;
}
implementation {
  enum { CBCMODE_BLOCK = 8 };
  typedef struct CBCModeContext {
    uint8_t spill1[8];
    uint8_t spill2[8];
    uint16_t remaining;
    uint16_t completed;
    uint8_t accum;
    uint8_t offset;
    uint8_t state;
  } CBCModeContext;

  command result_t BlockCipherMode.init(CipherModeContext *context, uint8_t keySize, uint8_t *key) {
    CBCModeContext *c = (CBCModeContext *)context->context;
    c->accum = 0;
    c->offset = 0;
    c->remaining = c->completed = 0;
    c->state = 0;
    return call BlockCipher.init(&context->cc, CBCMODE_BLOCK, keySize, key);
  }
  async command result_t BlockCipherMode.encrypt(CipherModeContext *context, uint8_t *plain, uint8_t *cipher, uint16_t numBytes,
                                                 uint8_t *IV) {
    uint8_t i, j, bsize, bsize2, t, spill1[CBCMODE_BLOCK];

    if (numBytes < CBCMODE_BLOCK)
      return FAIL;
    for (j = 0; j < CBCMODE_BLOCK; j++)
      spill1[j] = IV[j];
    for (i = 0; i + CBCMODE_BLOCK <= numBytes; i += CBCMODE_BLOCK) {
      for (j = 0; j < CBCMODE_BLOCK; j++)
        spill1[j] ^= plain[i + j];
      call BlockCipher.encrypt(&context->cc, spill1, spill1);
      for (j = 0; j < CBCMODE_BLOCK; j++)
        cipher[i + j] = spill1[j];
    }
    bsize = numBytes - i;
    bsize2 = CBCMODE_BLOCK - bsize;
    for (j = 0; j < bsize; j++) {
      t = plain[i + j];
      cipher[i + j] = spill1[j] ^ t;
    }
    return bsize2 ? SUCCESS : FAIL;
  }
  async command result_t BlockCipherMode.decrypt(CipherModeContext *context, uint8_t *cipher, uint8_t *plain, uint16_t numBytes,
                                                 uint8_t *IV) {
    CBCModeContext *c = (CBCModeContext *)context->context;
    uint8_t i, j, tmp[CBCMODE_BLOCK];

    if (numBytes < CBCMODE_BLOCK)
      return FAIL;
    for (j = 0; j < CBCMODE_BLOCK; j++)
      c->spill1[j] = IV[j];
    for (i = 0; i + CBCMODE_BLOCK <= numBytes; i += CBCMODE_BLOCK) {
      for (j = 0; j < CBCMODE_BLOCK; j++)
        tmp[j] = cipher[i + j];
      call BlockCipher.decrypt(&context->cc, tmp, c->spill2);
      for (j = 0; j < CBCMODE_BLOCK; j++) {
        plain[i + j] = c->spill2[j] ^ c->spill1[j];
        c->spill1[j] = tmp[j];
      }
      c->completed += CBCMODE_BLOCK;
    }
    return SUCCESS;
  }
}
