/* A message authentication code: the message, behind a block that tells its length, chained through the block cipher. */
module CBCMAC {
  provides interface MAC;
  uses interface BlockCipher;
}
implementation {
  enum { BLOCK = 8 };
  struct progress {
    uint8_t chain[BLOCK];
    uint8_t mixed; /* bytes of the next block that are in the chain already */
  };

  static struct progress *progressOf(MACContext *context) {
    return (struct progress *)context->context;
  }
  result_t encipher(MACContext *context) {
    struct progress *so = progressOf(context);

    so->mixed = 0;
    return call BlockCipher.encrypt(&context->cc, so->chain, so->chain);
  }
  async command result_t MAC.initIncrementalMAC(MACContext *context, uint16_t length) {
    struct progress *so = progressOf(context);

    memset(so->chain, 0, BLOCK);
    so->chain[0] = length;
    so->chain[1] = length >> 8;
    return encipher(context);
  }
  async command result_t MAC.incrementalMAC(MACContext *context, uint8_t *msg, uint16_t msgLen) {
    struct progress *so = progressOf(context);

    while (msgLen-- > 0) {
      so->chain[so->mixed++] ^= *msg++;
      if (so->mixed == BLOCK && !encipher(context))
        return FAIL;
    }
    return SUCCESS;
  }
  async command result_t MAC.getIncrementalMAC(MACContext *context, uint8_t *res, uint8_t macSize) {
    struct progress *so = progressOf(context);

    if (macSize > BLOCK || (so->mixed > 0 && !encipher(context)))
      return FAIL;
    memcpy(res, so->chain, macSize);
    return SUCCESS;
  }
  command result_t MAC.init(MACContext *context, uint8_t keySize, uint8_t *key) {
    progressOf(context)->mixed = 0;
    return call BlockCipher.init(&context->cc, BLOCK, keySize, key);
  }
}
