includes AM;
interface TokenReceiveMsg {
  event TOS_MsgPtr receive(TOS_MsgPtr m, uint8_t token);
  command result_t ReflectToken(uint8_t token);
}
