interface ChannelMon {
  async command result_t init();
  async command result_t startSymbolSearch();
  async command result_t stopMonitorChannel();
  async command result_t macDelay();
  async event result_t startSymDetect();
  async event result_t idleDetect();
}
