interface ByteComm {
  async command result_t txByte(uint8_t data);
  async event result_t rxByteReady(uint8_t data, bool error, uint16_t strength);
  async event result_t txByteReady(bool success);
  async event result_t txDone();
}
