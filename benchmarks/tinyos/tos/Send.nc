includes AM;
interface Send {
  command result_t send(TOS_MsgPtr msg, uint16_t length);
  command void *getBuffer(TOS_MsgPtr msg, uint16_t *length);
  event result_t sendDone(TOS_MsgPtr msg, result_t success);
}
