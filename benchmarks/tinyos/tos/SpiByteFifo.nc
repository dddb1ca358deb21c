interface SpiByteFifo {
  async command result_t initSlave();
  async command result_t enableIntr();
  async command result_t disableIntr();
  async command result_t txMode();
  async command result_t rxMode();
  async command result_t send(uint8_t data);
  async command result_t idle();
  async command result_t startReadBytes(uint16_t timing);
  async event result_t dataReady(uint8_t data);
}
