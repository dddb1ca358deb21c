interface Clock {
  async command result_t setRate(char interval, char scale);
  async command void setInterval(uint8_t value);
  async command uint8_t getInterval();
  async command uint8_t readCounter();
  async event result_t fire();
}
