interface RadioTiming {
  async command uint16_t getTiming();
  async command uint16_t currentTime();
}
