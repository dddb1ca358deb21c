includes AM;
interface ReceiveMsg {
  event TOS_MsgPtr receive(TOS_MsgPtr m);
}
