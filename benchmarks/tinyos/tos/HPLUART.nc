interface HPLUART {
  async command result_t init();
  async command result_t stop();
  async command result_t put(uint8_t data);
  async event result_t get(uint8_t data);
  async event result_t putDone();
}
