module FramerAckM {
  provides interface ReceiveMsg as ReceiveCombined;
  uses {
    interface TokenReceiveMsg;
    interface ReceiveMsg;
  }
}
implementation {
  uint8_t gTokenBuf;
  task void SendAckTask() {
    call TokenReceiveMsg.ReflectToken(gTokenBuf);
  }
  event TOS_MsgPtr TokenReceiveMsg.receive(TOS_MsgPtr Msg, uint8_t token) {
    TOS_MsgPtr pBuf;

    gTokenBuf = token;
    post SendAckTask();
    pBuf = signal ReceiveCombined.receive(Msg);
    return pBuf;
  }
  event TOS_MsgPtr ReceiveMsg.receive(TOS_MsgPtr Msg) {
    return signal ReceiveCombined.receive(Msg);
  }
}
