/* Sends a reading of the light now and then, as commands from the base station say. */
includes MultiHop;
module SurgeM {
  provides interface StdControl;
  uses {
    interface ADC;
    interface Timer;
    interface Leds;
    interface StdControl as Sounder;
    interface Send;
    interface ReceiveMsg as Bcast;
    interface RouteSelect;
    interface StdControl as Communication;
    interface StdControl as SensorControl;
  }
}
implementation {
  enum { SET_RATE, SLEEP, WAKE_UP, FOCUS };
  enum { FIRINGS_PER_READING = 4 };
  TOS_Msg message;
  bool underway; /* from a reading until it has been sent */
  norace uint16_t reading;
  uint32_t sent;
  uint32_t rate;
  uint8_t firings;

  void done() {
    atomic underway = FALSE;
  }
  task void sendReading() {
    uint16_t room;
    SurgeMsg *content = call Send.getBuffer(&message, &room);

    if (content == NULL || room < sizeof(SurgeMsg)) {
      done();
      return;
    }
    content->type = content->parentaddr = 0;
    content->reading = reading;
    content->seq_no = sent;
    sent++;
    if (!call Send.send(&message, sizeof(SurgeMsg)))
      done();
  }
  async event result_t ADC.dataReady(uint16_t data) {
    atomic {
      if (!underway && post sendReading()) {
        underway = TRUE;
        reading = data;
      }
    }
    return SUCCESS;
  }
  event result_t Send.sendDone(TOS_MsgPtr msg, result_t success) {
    done();
    return SUCCESS;
  }
  event result_t Timer.fired() {
    firings++;
    if (firings == FIRINGS_PER_READING) {
      firings = 0;
      call ADC.getData();
    }
    return SUCCESS;
  }
  result_t readEvery(uint32_t ticks) {
    call Timer.stop();
    return call Timer.start(0, ticks);
  }
  void fresh() {
    done();
    rate = INITIAL_TIMER_RATE;
    sent = 0;
  }
  void obey(SurgeCmdMsg *wanted) {
    switch (wanted->type) {
      case SET_RATE:
        rate = wanted->args.newrate;
        readEvery(rate);
        break;
      case SLEEP:
        call Timer.stop();
        call Leds.set(0);
        break;
      case WAKE_UP:
        fresh();
        readEvery(rate);
        break;
      case FOCUS:
        if (wanted->args.focusaddr == TOS_LOCAL_ADDRESS)
          readEvery(FOCUS_TIMER_RATE);
        else
          call Timer.stop();
        break;
    }
  }
  event TOS_MsgPtr Bcast.receive(TOS_MsgPtr msg) {
    obey((SurgeCmdMsg *)msg->data);
    return msg;
  }
  command result_t StdControl.init() {
    fresh();
    call Leds.init();
    return rcombine(call SensorControl.init(), call Communication.init());
  }
  command result_t StdControl.start() {
    call SensorControl.start();
    call Communication.start();
    return readEvery(rate);
  }
  command result_t StdControl.stop() {
    return call Timer.stop();
  }
}
