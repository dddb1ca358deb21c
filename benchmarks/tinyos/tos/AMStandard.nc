module AMStandard {
  provides {
    interface StdControl as Control;
    interface SendMsg[uint8_t id];
    interface ReceiveMsg[uint8_t id];
    command uint16_t activity();
  }
  uses {
    interface StdControl as UARTControl;
    interface BareSendMsg as UARTSend;
    interface ReceiveMsg as UARTReceive;
    interface StdControl as RadioControl;
    interface BareSendMsg as RadioSend;
    interface ReceiveMsg as RadioReceive;
    interface StdControl as TimerControl;
    interface Timer as ActivityTimer;
    event result_t sendDone();
  }
}
implementation {
  bool state;
  TOS_MsgPtr buffer;
  uint16_t lastCount;
  uint16_t counter;

  command result_t Control.init() {
    result_t ok1, ok2;
    call TimerControl.init();
    ok1 = call UARTControl.init();
    ok2 = call RadioControl.init();
    state = FALSE;
    lastCount = 0;
    counter = 0;
    return rcombine(ok1, ok2);
  }
  command result_t Control.start() {
    result_t ok0 = call TimerControl.start();
    result_t ok1 = call UARTControl.start();
    result_t ok2 = call RadioControl.start();
    result_t ok3 = call ActivityTimer.start(0, 1000);
    state = FALSE;
    return rcombine(rcombine(ok0, ok3), rcombine(ok1, ok2));
  }
  command result_t Control.stop() {
    result_t ok1 = call UARTControl.stop();
    result_t ok2 = call RadioControl.stop();
    return rcombine(ok1, ok2);
  }
  command uint16_t activity() {
    return lastCount;
  }
  void dbgPacket(TOS_MsgPtr data) {
    uint8_t i;
    for (i = 0; i < sizeof(TOS_Msg); i++)
      counter += ((uint8_t *)data)[i] == 0;
  }
  result_t reportSendDone(TOS_MsgPtr msg, result_t success) {
    state = FALSE;
    signal SendMsg.sendDone[msg->type](msg, success);
    signal sendDone();
    return SUCCESS;
  }
  event result_t ActivityTimer.fired() {
    lastCount = counter;
    counter = 0;
    return SUCCESS;
  }
  default event result_t SendMsg.sendDone[uint8_t id](TOS_MsgPtr msg, result_t success) {
    return SUCCESS;
  }
  default event result_t sendDone() {
    return SUCCESS;
  }
  task void sendTask() {
    result_t ok;
    TOS_MsgPtr buf = buffer;
    if (buf->addr == TOS_UART_ADDR)
      ok = call UARTSend.send(buf);
    else
      ok = call RadioSend.send(buf);
    if (ok == FAIL)
      reportSendDone(buffer, FAIL);
  }
  command result_t SendMsg.send[uint8_t id](uint16_t addr, uint8_t length, TOS_MsgPtr data) {
    if (!state) {
      state = TRUE;
      if (length > DATA_LENGTH) {
        state = FALSE;
        return FAIL;
      }
      if (!(post sendTask())) {
        state = FALSE;
        return FAIL;
      } else {
        buffer = data;
        data->length = length;
        data->addr = addr;
        data->type = id;
        buffer->group = TOS_AM_GROUP;
        dbgPacket(data);
      }
      return SUCCESS;
    }
    return FAIL;
  }
  event result_t UARTSend.sendDone(TOS_MsgPtr msg, result_t success) {
    return reportSendDone(msg, success);
  }
  event result_t RadioSend.sendDone(TOS_MsgPtr msg, result_t success) {
    return reportSendDone(msg, success);
  }
  TOS_MsgPtr received(TOS_MsgPtr packet) {
    counter++;
    if (packet->crc == 1 && packet->group == TOS_AM_GROUP &&
        (packet->addr == TOS_BCAST_ADDR || packet->addr == TOS_LOCAL_ADDRESS)) {
      uint8_t type = packet->type;
      TOS_MsgPtr tmp;
      tmp = signal ReceiveMsg.receive[type](packet);
      if (tmp)
        packet = tmp;
    }
    return packet;
  }
  default event TOS_MsgPtr ReceiveMsg.receive[uint8_t id](TOS_MsgPtr msg) {
    return msg;
  }
  event TOS_MsgPtr UARTReceive.receive(TOS_MsgPtr packet) {
    packet->group = TOS_AM_GROUP;
    return received(packet);
  }
  event TOS_MsgPtr RadioReceive.receive(TOS_MsgPtr packet) {
    return received(packet);
  }
}
