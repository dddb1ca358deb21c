/* Cipher block chaining; what is left after the last whole block is mixed with the last chaining value enciphered once more. */
module CBCModeM {
  provides interface BlockCipherMode;
  uses interface BlockCipher;
}
implementation {
  enum { BLOCK = 8 };

  static void mix(uint8_t *to, uint8_t *a, uint8_t *b, uint8_t bytes) {
    while (bytes > 0) {
      bytes--;
      to[bytes] = a[bytes] ^ b[bytes];
    }
  }
  async command result_t BlockCipherMode.encrypt(CipherModeContext *context, uint8_t *plain, uint8_t *cipher, uint16_t numBytes,
                                                 uint8_t *IV) {
    uint8_t chain[BLOCK];
    uint16_t at;

    memcpy(chain, IV, BLOCK);
    for (at = 0; at + BLOCK <= numBytes; at += BLOCK) {
      mix(chain, chain, plain + at, BLOCK);
      call BlockCipher.encrypt(&context->cc, chain, chain);
      memcpy(cipher + at, chain, BLOCK);
    }
    call BlockCipher.encrypt(&context->cc, chain, chain);
    mix(cipher + at, plain + at, chain, numBytes - at);
    return SUCCESS;
  }
  async command result_t BlockCipherMode.decrypt(CipherModeContext *context, uint8_t *cipher, uint8_t *plain, uint16_t numBytes,
                                                 uint8_t *IV) {
    uint8_t chain[BLOCK], enciphered[BLOCK], block[BLOCK];
    uint16_t at;

    memcpy(chain, IV, BLOCK);
    for (at = 0; at + BLOCK <= numBytes; at += BLOCK) {
      memcpy(enciphered, cipher + at, BLOCK);
      call BlockCipher.decrypt(&context->cc, enciphered, block);
      mix(plain + at, block, chain, BLOCK);
      memcpy(chain, enciphered, BLOCK);
    }
    call BlockCipher.encrypt(&context->cc, chain, chain);
    mix(plain + at, cipher + at, chain, numBytes - at);
    return SUCCESS;
  }
  command result_t BlockCipherMode.init(CipherModeContext *context, uint8_t keySize, uint8_t *key) {
    return call BlockCipher.init(&context->cc, BLOCK, keySize, key);
  }
}
