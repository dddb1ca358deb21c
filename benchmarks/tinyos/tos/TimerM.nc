/* Any number of timers on one clock that interrupts when its counter reaches the interval. The handler only adds up what has
   passed; a task takes it off every running timer, and another tells one expired timer at a time. */
module TimerM {
  provides interface Timer[uint8_t id];
  provides interface StdControl;
  uses interface Clock;
  uses interface StdControl as ClockControl;
}
implementation {
  enum { TIMERS = uniqueCount("Timer"), REPEATED = 0, ONCE = 1, LONGEST = 230, MARGIN = 3, SCALE = 3 };
  struct {
    uint32_t period; /* 0: it expires once */
    int32_t left;
    bool running;
    bool expired;
  } timers[TIMERS];
  uint8_t interval;
  uint16_t passed;

  void setInterval(uint8_t ticks) {
    interval = ticks;
    call Clock.setInterval(ticks);
  }
  /* Interrupts when the first running timer expires, but neither sooner than can be caught nor later than can be counted. */
  void aim() {
    int32_t ticks = LONGEST;
    uint8_t n, soonest;

    for (n = 0; n < TIMERS; n++)
      if (timers[n].running && timers[n].left < ticks)
        ticks = timers[n].left;
    atomic {
      soonest = call Clock.readCounter() + MARGIN;
      setInterval(ticks < soonest ? soonest : ticks);
    }
  }
  task void tellExpired() {
    uint8_t n;

    for (n = 0; n < TIMERS; n++) {
      if (timers[n].expired) {
        timers[n].expired = FALSE;
        signal Timer.fired[n]();
        return;
      }
    }
  }
  void expire(uint8_t n) {
    if (timers[n].period == 0)
      timers[n].running = FALSE;
    else
      timers[n].left += timers[n].period;
    timers[n].expired = TRUE;
    post tellExpired();
  }
  task void takeOff() {
    uint16_t ticks;
    uint8_t n;

    atomic {
      ticks = passed;
      passed = 0;
    }
    for (n = 0; n < TIMERS; n++) {
      if (timers[n].running) {
        timers[n].left -= ticks;
        if (timers[n].left < MARGIN)
          expire(n);
      }
    }
    aim();
  }
  async event result_t Clock.fire() {
    atomic {
      if (passed == 0)
        post takeOff();
      passed += call Clock.getInterval() + 1;
    }
    return SUCCESS;
  }
  command result_t Timer.start[uint8_t id](char type, uint32_t ticks) {
    if (id >= TIMERS || (type != REPEATED && type != ONCE) || (type == REPEATED && ticks < MARGIN))
      return FAIL;
    timers[id].period = type == REPEATED ? ticks : 0;
    timers[id].expired = FALSE;
    atomic {
      timers[id].left = ticks + call Clock.readCounter();
      timers[id].running = TRUE;
      if (timers[id].left < interval)
        setInterval(timers[id].left);
    }
    return SUCCESS;
  }
  command result_t Timer.stop[uint8_t id]() {
    if (id >= TIMERS || !timers[id].running)
      return FAIL;
    timers[id].running = FALSE;
    return SUCCESS;
  }
  default event result_t Timer.fired[uint8_t id]() {
    return SUCCESS;
  }
  command result_t StdControl.init() {
    uint8_t n;

    for (n = 0; n < TIMERS; n++)
      timers[n].running = timers[n].expired = FALSE;
    passed = 0;
    interval = LONGEST;
    return call Clock.setRate(interval, SCALE);
  }
  command result_t StdControl.start() {
    return SUCCESS;
  }
  command result_t StdControl.stop() {
    uint8_t n;

    for (n = 0; n < TIMERS; n++)
      timers[n].running = FALSE;
    interval = LONGEST;
    return SUCCESS;
  }
}
