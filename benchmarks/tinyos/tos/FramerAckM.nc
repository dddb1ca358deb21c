/* Sends the token of a message that asks for it back to where it came from. */
module FramerAckM {
  provides interface ReceiveMsg as ReceiveCombined;
  uses {
    interface TokenReceiveMsg;
    interface ReceiveMsg;
  }
}
implementation {
  uint8_t owed;

  task void echo() {
    call TokenReceiveMsg.ReflectToken(owed);
  }
  event TOS_MsgPtr TokenReceiveMsg.receive(TOS_MsgPtr msg, uint8_t token) {
    owed = token;
    post echo();
    return signal ReceiveCombined.receive(msg);
  }
  event TOS_MsgPtr ReceiveMsg.receive(TOS_MsgPtr msg) {
    return signal ReceiveCombined.receive(msg);
  }
}
