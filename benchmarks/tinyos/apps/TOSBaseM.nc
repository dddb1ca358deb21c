module TOSBaseM {
  provides interface StdControl;
  uses {
    interface StdControl as UARTControl;
    interface BareSendMsg as UARTSend;
    interface ReceiveMsg as UARTReceive;
    interface StdControl as RadioControl;
    interface StdControl as SecurityControl;
    interface BareSendMsg as RadioSend;
    interface ReceiveMsg as RadioReceive;
    interface Leds;
  }
}
implementation {
  enum { QUEUE_SIZE = 5, TXFLAG_BUSY = 0x1 };
  TOS_Msg gRxBufPool[QUEUE_SIZE];
  TOS_MsgPtr gRxBufPoolTbl[QUEUE_SIZE];
  uint8_t gRxHeadIndex, gRxTailIndex;
  TOS_Msg gTxBuf;
  TOS_MsgPtr gpTxMsg;
  uint8_t gfTxFlags;

  task void RadioRcvdTask() {
    TOS_MsgPtr pMsg;
    result_t Result;

    atomic {
      pMsg = gRxBufPoolTbl[gRxTailIndex];
      gRxTailIndex++;
      gRxTailIndex %= QUEUE_SIZE;
    }
    Result = call UARTSend.send(pMsg);
    if (Result != SUCCESS)
      pMsg->length = 0;
    else
      call Leds.greenToggle();
  }
  task void UARTRcvdTask() {
    result_t Result;

    gpTxMsg->group = TOS_AM_GROUP;
    Result = call RadioSend.send(gpTxMsg);
    if (Result != SUCCESS)
      atomic gfTxFlags = 0;
    else
      call Leds.redToggle();
  }
  command result_t StdControl.init() {
    result_t ok1, ok2, ok3;
    uint8_t i;

    for (i = 0; i < QUEUE_SIZE; i++) {
      gRxBufPool[i].length = 0;
      gRxBufPoolTbl[i] = &gRxBufPool[i];
    }
    gRxHeadIndex = 0;
    gRxTailIndex = 0;
    gTxBuf.length = 0;
    gpTxMsg = &gTxBuf;
    gfTxFlags = 0;
    ok1 = call UARTControl.init();
    ok2 = call RadioControl.init();
    ok3 = call SecurityControl.init();
    call Leds.init();
    return rcombine(rcombine(ok1, ok2), ok3);
  }
  command result_t StdControl.start() {
    result_t ok1, ok2;

    call SecurityControl.start();
    ok1 = call UARTControl.start();
    ok2 = call RadioControl.start();
    return rcombine(ok1, ok2);
  }
  command result_t StdControl.stop() {
    result_t ok1 = call UARTControl.stop();
    result_t ok2 = call RadioControl.stop();
    return rcombine(ok1, ok2);
  }
  event TOS_MsgPtr RadioReceive.receive(TOS_MsgPtr Msg) {
    TOS_MsgPtr pBuf = Msg;

    if (Msg->crc && Msg->group == TOS_AM_GROUP) {
      atomic {
        pBuf = gRxBufPoolTbl[gRxHeadIndex];
        if (pBuf->length == 0) {
          gRxBufPoolTbl[gRxHeadIndex] = Msg;
          gRxHeadIndex++;
          gRxHeadIndex %= QUEUE_SIZE;
        } else {
          pBuf = NULL;
        }
      }
      if (pBuf)
        post RadioRcvdTask();
      else
        pBuf = Msg;
    }
    return pBuf;
  }
  event result_t RadioSend.sendDone(TOS_MsgPtr Msg, result_t success) {
    if (Msg == gpTxMsg)
      atomic gfTxFlags = 0;
    return SUCCESS;
  }
  event TOS_MsgPtr UARTReceive.receive(TOS_MsgPtr Msg) {
    TOS_MsgPtr pBuf = Msg;
    bool fBusy;

    atomic {
      fBusy = (gfTxFlags & TXFLAG_BUSY);
      if (!fBusy) {
        gfTxFlags |= TXFLAG_BUSY;
        pBuf = gpTxMsg;
        gpTxMsg = Msg;
      }
    }
    if (!fBusy)
      post UARTRcvdTask();
    return pBuf;
  }
  event result_t UARTSend.sendDone(TOS_MsgPtr Msg, result_t success) {
    Msg->length = 0;
    return SUCCESS;
  }
}
