/* A base station: passes what the radio hears to the serial line and what the serial line says to the radio. */
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
  enum { PLACES = 5 };
  /* From the radio: a ring of messages, one place of which is exchanged for each that comes. Length 0: free. */
  TOS_Msg spare[PLACES];
  TOS_MsgPtr ring[PLACES];
  uint8_t filled, passed;
  /* From the serial line: one message at a time. */
  TOS_Msg first;
  TOS_MsgPtr inHand;
  bool sending;

  uint8_t after(uint8_t place) {
    return place == PLACES - 1 ? 0 : place + 1;
  }

  /* ---------------------------------------------------------------- radio to serial line */
  task void toLine() {
    TOS_MsgPtr msg;

    atomic {
      msg = ring[passed];
      passed = after(passed);
    }
    if (call UARTSend.send(msg))
      call Leds.greenToggle();
    else
      msg->length = 0;
  }
  event TOS_MsgPtr RadioReceive.receive(TOS_MsgPtr msg) {
    TOS_MsgPtr given = msg;

    if (!msg->crc || msg->group != TOS_AM_GROUP)
      return msg;
    atomic {
      if (ring[filled]->length == 0) {
        given = ring[filled];
        ring[filled] = msg;
        filled = after(filled);
      }
    }
    if (given != msg)
      post toLine();
    return given;
  }
  event result_t UARTSend.sendDone(TOS_MsgPtr msg, result_t success) {
    msg->length = 0;
    return SUCCESS;
  }

  /* ---------------------------------------------------------------- serial line to radio */
  task void toRadio() {
    inHand->group = TOS_AM_GROUP;
    if (call RadioSend.send(inHand))
      call Leds.redToggle();
    else
      atomic sending = FALSE;
  }
  event TOS_MsgPtr UARTReceive.receive(TOS_MsgPtr msg) {
    TOS_MsgPtr given = msg;

    atomic {
      if (!sending) {
        given = inHand;
        inHand = msg;
        sending = TRUE;
      }
    }
    if (given != msg)
      post toRadio();
    return given;
  }
  event result_t RadioSend.sendDone(TOS_MsgPtr msg, result_t success) {
    if (msg == inHand)
      atomic sending = FALSE;
    return SUCCESS;
  }

  /* ---------------------------------------------------------------- on and off */
  command result_t StdControl.init() {
    uint8_t n;

    for (n = 0; n < PLACES; n++) {
      spare[n].length = 0;
      ring[n] = &spare[n];
    }
    filled = passed = 0;
    inHand = &first;
    sending = FALSE;
    call Leds.init();
    return rcombine(call SecurityControl.init(), rcombine(call UARTControl.init(), call RadioControl.init()));
  }
  command result_t StdControl.start() {
    return rcombine(call SecurityControl.start(), rcombine(call UARTControl.start(), call RadioControl.start()));
  }
  command result_t StdControl.stop() {
    return rcombine(call UARTControl.stop(), call RadioControl.stop());
  }
}
