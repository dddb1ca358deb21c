includes MultiHop;
module MultiHopEngineM {
  provides {
    interface StdControl;
    interface Send[uint8_t id];
    interface Intercept[uint8_t id];
  }
  uses {
    interface ReceiveMsg[uint8_t id];
    interface SendMsg[uint8_t id];
    interface RouteSelect;
    interface StdControl as SubControl;
  }
}
implementation {
  enum { FWD_QUEUE_SIZE = 8, EMPTY = 0xff };
  TOS_Msg FwdBuffers[FWD_QUEUE_SIZE];
  TOS_MsgPtr FwdBufList[FWD_QUEUE_SIZE];
  uint8_t iFwdBufHead, iFwdBufTail;

  command result_t StdControl.init() {
    int n;
    for (n = 0; n < FWD_QUEUE_SIZE; n++)
      FwdBufList[n] = &FwdBuffers[n];
    iFwdBufHead = iFwdBufTail = 0;
    return call SubControl.init();
  }
  command result_t StdControl.start() {
    return call SubControl.start();
  }
  command result_t StdControl.stop() {
    return call SubControl.stop();
  }
  command result_t Send.send[uint8_t id](TOS_MsgPtr pMsg, uint16_t PayloadLen) {
    uint16_t usMHLength = offsetof(TOS_MHopMsg, data) + PayloadLen;
    if (usMHLength > TOSH_DATA_LENGTH)
      return FAIL;
    call RouteSelect.initializeFields(pMsg, id);
    if (call RouteSelect.selectRoute(pMsg, id) != SUCCESS)
      return FAIL;
    if (call SendMsg.send[id](pMsg->addr, usMHLength, pMsg) != SUCCESS)
      return FAIL;
    return SUCCESS;
  }
  command void *Send.getBuffer[uint8_t id](TOS_MsgPtr pMsg, uint16_t *length) {
    TOS_MHopMsg *pMHMsg = (TOS_MHopMsg *)pMsg->data;
    *length = TOSH_DATA_LENGTH - offsetof(TOS_MHopMsg, data);
    return &pMHMsg->data[0];
  }
  static TOS_MsgPtr mForward(TOS_MsgPtr pMsg, uint8_t id) {
    TOS_MsgPtr pNewBuf = pMsg;
    if (((iFwdBufHead + 1) % FWD_QUEUE_SIZE) == iFwdBufTail)
      return pNewBuf;
    if (call RouteSelect.selectRoute(pMsg, id) != SUCCESS)
      return pNewBuf;
    if (call SendMsg.send[id](pMsg->addr, pMsg->length, pMsg) == SUCCESS) {
      pNewBuf = FwdBufList[iFwdBufHead];
      FwdBufList[iFwdBufHead] = pMsg;
      iFwdBufHead++;
      iFwdBufHead %= FWD_QUEUE_SIZE;
    }
    return pNewBuf;
  }
  event TOS_MsgPtr ReceiveMsg.receive[uint8_t id](TOS_MsgPtr pMsg) {
    TOS_MHopMsg *pMHMsg = (TOS_MHopMsg *)pMsg->data;
    uint16_t PayloadLen = pMsg->length - offsetof(TOS_MHopMsg, data);
    if (pMsg->addr == TOS_LOCAL_ADDRESS) {
      if (signal Intercept.intercept[id](pMsg, &pMHMsg->data[0], PayloadLen) == SUCCESS)
        pMsg = mForward(pMsg, id);
    }
    return pMsg;
  }
  event result_t SendMsg.sendDone[uint8_t id](TOS_MsgPtr pMsg, result_t success) {
    if (pMsg == FwdBufList[iFwdBufTail]) {
      iFwdBufTail++;
      iFwdBufTail %= FWD_QUEUE_SIZE;
    } else {
      signal Send.sendDone[id](pMsg, success);
    }
    return SUCCESS;
  }
  default event result_t Send.sendDone[uint8_t id](TOS_MsgPtr pMsg, result_t success) {
    return SUCCESS;
  }
  default event result_t Intercept.intercept[uint8_t id](TOS_MsgPtr pMsg, void *payload, uint16_t payloadLen) {
    return SUCCESS;
  }
}
