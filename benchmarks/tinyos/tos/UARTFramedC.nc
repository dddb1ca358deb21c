configuration UARTFramedC {
  provides {
    interface StdControl as Control;
    interface BareSendMsg as Send;
    interface ReceiveMsg as Receive;
  }
}
implementation {
  components FramerM, FramerAckM, UARTM, HPLUARTM;
  Control = FramerM;
  Send = FramerM;
  Receive = FramerAckM.ReceiveCombined;
  FramerAckM.TokenReceiveMsg -> FramerM;
  FramerAckM.ReceiveMsg -> FramerM;
  FramerM.ByteControl -> UARTM;
  FramerM.ByteComm -> UARTM;
  UARTM.HPLUART -> HPLUARTM;
}
