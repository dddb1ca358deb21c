includes crypto;
interface MAC {
  command result_t init(MACContext *context, uint8_t keySize, uint8_t *key);
  async command result_t initIncrementalMAC(MACContext *context, uint16_t length);
  async command result_t incrementalMAC(MACContext *context, uint8_t *msg, uint16_t msgLen);
  async command result_t getIncrementalMAC(MACContext *context, uint8_t *res, uint8_t macSize);
}
