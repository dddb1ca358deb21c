/* Sends messages of our own and passes on those of others, one hop further each. */
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
  enum { PLACES = 8, HEADER = offsetof(TOS_MHopMsg, data) };
  TOS_Msg spare[PLACES];
  TOS_MsgPtr ring[PLACES]; /* those on their way from `first` on, then spare ones */
  uint8_t first, underway;

  uint8_t *payload(TOS_MsgPtr msg) {
    return ((TOS_MHopMsg *)msg->data)->data;
  }
  /* Sends it to whoever is next. */
  result_t hop(uint8_t id, TOS_MsgPtr msg, uint8_t size) {
    if (!call RouteSelect.selectRoute(msg, id))
      return FAIL;
    return call SendMsg.send[id](msg->addr, size, msg);
  }
  command void *Send.getBuffer[uint8_t id](TOS_MsgPtr msg, uint16_t *length) {
    *length = TOSH_DATA_LENGTH - HEADER;
    return payload(msg);
  }
  command result_t Send.send[uint8_t id](TOS_MsgPtr msg, uint16_t length) {
    if (length > TOSH_DATA_LENGTH - HEADER)
      return FAIL;
    call RouteSelect.initializeFields(msg, id);
    return hop(id, msg, HEADER + length);
  }
  /* Passes a message on; what to receive the next one into. */
  TOS_MsgPtr passOn(uint8_t id, TOS_MsgPtr msg) {
    uint8_t place = (first + underway) % PLACES;
    TOS_MsgPtr given = ring[place];

    if (underway == PLACES || !hop(id, msg, msg->length))
      return msg;
    ring[place] = msg;
    underway++;
    return given;
  }
  event TOS_MsgPtr ReceiveMsg.receive[uint8_t id](TOS_MsgPtr msg) {
    if (msg->addr != TOS_LOCAL_ADDRESS || !signal Intercept.intercept[id](msg, payload(msg), msg->length - HEADER))
      return msg;
    return passOn(id, msg);
  }
  event result_t SendMsg.sendDone[uint8_t id](TOS_MsgPtr msg, result_t success) {
    if (underway == 0 || msg != ring[first])
      return signal Send.sendDone[id](msg, success);
    first = (first + 1) % PLACES;
    underway--;
    return SUCCESS;
  }
  default event result_t Send.sendDone[uint8_t id](TOS_MsgPtr msg, result_t success) {
    return SUCCESS;
  }
  default event result_t Intercept.intercept[uint8_t id](TOS_MsgPtr msg, void *content, uint16_t length) {
    return SUCCESS;
  }
  command result_t StdControl.init() {
    uint8_t n;

    for (n = 0; n < PLACES; n++)
      ring[n] = &spare[n];
    first = underway = 0;
    return call SubControl.init();
  }
  command result_t StdControl.start() {
    return call SubControl.start();
  }
  command result_t StdControl.stop() {
    return call SubControl.stop();
  }
}
