interface HPLADC {
  async command result_t init();
  async command result_t bindPort(uint8_t port, uint8_t adcPort);
  async command result_t samplePort(uint8_t port);
  async command result_t sampleAgain();
  async command result_t sampleStop();
  async event result_t dataReady(uint16_t data);
}
