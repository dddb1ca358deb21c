/* Messages by their type, over the serial line or the radio; one is being sent at a time. */
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
  enum { PERIOD = 1000 };
  TOS_MsgPtr outgoing; /* NULL: nothing is being sent */
  uint16_t heard; /* in this period */
  uint16_t heardBefore; /* in the last one */

  /* ---------------------------------------------------------------- sending */
  result_t finish(TOS_MsgPtr msg, result_t how) {
    outgoing = NULL;
    signal SendMsg.sendDone[msg->type](msg, how);
    return signal sendDone();
  }
  task void pass() {
    TOS_MsgPtr msg = outgoing;
    bool wired = msg->addr == TOS_UART_ADDR;

    if (!(wired ? call UARTSend.send(msg) : call RadioSend.send(msg)))
      finish(msg, FAIL);
  }
  command result_t SendMsg.send[uint8_t id](uint16_t address, uint8_t length, TOS_MsgPtr msg) {
    if (outgoing != NULL || length > DATA_LENGTH || !post pass())
      return FAIL;
    msg->type = id;
    msg->addr = address;
    msg->group = TOS_AM_GROUP;
    msg->length = length;
    outgoing = msg;
    return SUCCESS;
  }
  event result_t UARTSend.sendDone(TOS_MsgPtr msg, result_t success) {
    return finish(msg, success);
  }
  event result_t RadioSend.sendDone(TOS_MsgPtr msg, result_t success) {
    return finish(msg, success);
  }
  default event result_t SendMsg.sendDone[uint8_t id](TOS_MsgPtr msg, result_t success) {
    return SUCCESS;
  }
  default event result_t sendDone() {
    return SUCCESS;
  }

  /* ---------------------------------------------------------------- receiving */
  bool forUs(TOS_MsgPtr msg) {
    return msg->crc == 1 && msg->group == TOS_AM_GROUP && (msg->addr == TOS_LOCAL_ADDRESS || msg->addr == TOS_BCAST_ADDR);
  }
  TOS_MsgPtr deliver(TOS_MsgPtr msg) {
    TOS_MsgPtr spare = msg;

    heard++;
    if (forUs(msg))
      spare = signal ReceiveMsg.receive[msg->type](msg);
    return spare != NULL ? spare : msg;
  }
  event TOS_MsgPtr UARTReceive.receive(TOS_MsgPtr msg) {
    msg->group = TOS_AM_GROUP; /* the line has one end: whoever writes there is of our group */
    return deliver(msg);
  }
  event TOS_MsgPtr RadioReceive.receive(TOS_MsgPtr msg) {
    return deliver(msg);
  }
  default event TOS_MsgPtr ReceiveMsg.receive[uint8_t id](TOS_MsgPtr msg) {
    return msg;
  }

  /* ---------------------------------------------------------------- activity */
  command uint16_t activity() {
    return heardBefore;
  }
  event result_t ActivityTimer.fired() {
    heardBefore = heard;
    heard = 0;
    return SUCCESS;
  }

  /* ---------------------------------------------------------------- on and off */
  command result_t Control.init() {
    outgoing = NULL;
    heard = heardBefore = 0;
    return rcombine(call TimerControl.init(), rcombine(call UARTControl.init(), call RadioControl.init()));
  }
  command result_t Control.start() {
    result_t below = rcombine(call UARTControl.start(), call RadioControl.start());

    call TimerControl.start();
    return rcombine(below, call ActivityTimer.start(0, PERIOD));
  }
  command result_t Control.stop() {
    call ActivityTimer.stop();
    return rcombine(call UARTControl.stop(), call RadioControl.stop());
  }
}
