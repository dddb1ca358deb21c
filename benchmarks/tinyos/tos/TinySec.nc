includes AM;
interface TinySec {
  command result_t init();
  command result_t send(TOS_MsgPtr msg);
  async command result_t receiveInit(TOS_MsgPtr msg);
  async event result_t computed(uint8_t *mac);
}
