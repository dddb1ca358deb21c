module CBCMAC {
  provides interface MAC;
  uses interface BlockCipher;
}
implementation {
  enum { CBCMAC_BLOCK_SIZE = 8 };
  typedef struct CBCMACContext {
    uint8_t partial[CBCMAC_BLOCK_SIZE];
    uint8_t blockPos;
  } CBCMACContext;

  command result_t MAC.init(MACContext *context, uint8_t keySize, uint8_t *key) {
    ((CBCMACContext *)context->context)->blockPos = 0;
    return call BlockCipher.init(&context->cc, CBCMAC_BLOCK_SIZE, keySize, key);
  }
  async command result_t MAC.initIncrementalMAC(MACContext *context, uint16_t length) {
    uint8_t i;
    uint8_t *partial = ((CBCMACContext *)context->context)->partial;
    memset(partial, 0, CBCMAC_BLOCK_SIZE - 2);
    partial[CBCMAC_BLOCK_SIZE - 2] = (length >> 8) & 0xff;
    partial[CBCMAC_BLOCK_SIZE - 1] = length & 0xff;
    ((CBCMACContext *)context->context)->blockPos = 0;
    for (i = 0; i < 2; i++)
      partial[i] ^= i;
    return call BlockCipher.encrypt(&context->cc, partial, partial);
  }
  async command result_t MAC.incrementalMAC(MACContext *context, uint8_t *msg, uint16_t msgLen) {
    uint8_t i, pos = ((CBCMACContext *)context->context)->blockPos;
    uint8_t *partial = ((CBCMACContext *)context->context)->partial;

    for (i = 0; i < msgLen; i++) {
      partial[pos++] ^= msg[i];
      if (pos == CBCMAC_BLOCK_SIZE) {
        if (!call BlockCipher.encrypt(&context->cc, partial, partial))
          return FAIL;
        pos = 0;
      }
    }
    ((CBCMACContext *)context->context)->blockPos = pos;
    return SUCCESS;
  }
  async command result_t MAC.getIncrementalMAC(MACContext *context, uint8_t *res, uint8_t macSize) {
    uint8_t *partial = ((CBCMACContext *)context->context)->partial;
    if (macSize > CBCMAC_BLOCK_SIZE)
      return FAIL;
    if (((CBCMACContext *)context->context)->blockPos)
      call BlockCipher.encrypt(&context->cc, partial, partial);
    memcpy(res, partial, macSize);
    return SUCCESS;
  }
}
