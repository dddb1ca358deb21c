interface ADCControl {
  command result_t init();
  command result_t bindPort(uint8_t port, uint8_t adcPort);
}
