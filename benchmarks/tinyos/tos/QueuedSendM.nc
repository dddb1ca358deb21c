/* A ring of messages to be sent one after the other. The first of them is with the layer below while `busy`; it is sent again as
   long as nobody acknowledges it and there are tries left. */
module QueuedSendM {
  provides {
    interface StdControl;
    interface SendMsg as QueueSendMsg[uint8_t id];
  }
  uses {
    interface SendMsg as SerialSendMsg[uint8_t id];
    interface Leds;
  }
}
implementation {
  enum { PLACES = 16, TRIES = 6 };
  struct waiting {
    TOS_MsgPtr message;
    uint16_t to;
    uint8_t size;
    uint8_t kind;
    uint8_t tries; /* left */
  } ring[PLACES];
  uint8_t first, used;
  bool busy;

  task void sendFirst() {
    struct waiting *w = &ring[first];

    if (used == 0) {
      busy = FALSE;
      return;
    }
    call Leds.greenToggle();
    busy = call SerialSendMsg.send[w->kind](w->to, w->size, w->message);
  }
  void drop() {
    first = (first + 1) % PLACES;
    used--;
  }
  command result_t QueueSendMsg.send[uint8_t id](uint16_t address, uint8_t length, TOS_MsgPtr msg) {
    struct waiting *w = &ring[(first + used) % PLACES];

    if (used == PLACES)
      return FAIL;
    msg->ack = 0;
    w->message = msg;
    w->to = address;
    w->size = length;
    w->kind = id;
    w->tries = TRIES;
    used++;
    if (!busy)
      busy = post sendFirst();
    return SUCCESS;
  }
  /* Whether the first message is done with after a try. */
  bool settled() {
    if (ring[first].message->ack || ring[first].to == TOS_UART_ADDR)
      return TRUE;
    call Leds.redToggle();
    ring[first].tries--;
    return ring[first].tries == 0;
  }
  event result_t SerialSendMsg.sendDone[uint8_t id](TOS_MsgPtr msg, result_t success) {
    if (used == 0 || ring[first].message != msg)
      return FAIL;
    if (settled()) {
      if (ring[first].tries == 0)
        success = FAIL;
      drop();
      signal QueueSendMsg.sendDone[id](msg, success);
    }
    post sendFirst();
    return SUCCESS;
  }
  default event result_t QueueSendMsg.sendDone[uint8_t id](TOS_MsgPtr msg, result_t success) {
    return SUCCESS;
  }
  default command result_t SerialSendMsg.send[uint8_t id](uint16_t address, uint8_t length, TOS_MsgPtr msg) {
    return SUCCESS;
  }
  command result_t StdControl.init() {
    first = used = 0;
    busy = FALSE;
    return SUCCESS;
  }
  command result_t StdControl.start() {
    return SUCCESS;
  }
  command result_t StdControl.stop() {
    return SUCCESS;
  }
}
