/* Timer 0, driven by the watch crystal: it counts up to the interval and begins anew. */
module HPLClock {
  provides interface Clock;
  provides interface StdControl;
}
implementation {
  enum { SCALE_MASK = 7, CLEAR_ON_MATCH = 8, ASYNCHRONOUS = 3, OVERFLOWS = 0 };
  enum { STANDARD_INTERVAL = 230, STANDARD_SCALE = 3, STOPPED = 0 };

  async command result_t Clock.setRate(char interval, char scale) {
    atomic {
      cbi(TIMSK, OVERFLOWS);
      cbi(TIMSK, OCIE0);
      sbi(ASSR, ASYNCHRONOUS);
      outp((scale & SCALE_MASK) | CLEAR_ON_MATCH, TCCR0);
      outp(interval, OCR0);
      outp(0, TCNT0);
      sbi(TIMSK, OCIE0);
    }
    return SUCCESS;
  }
  async command void Clock.setInterval(uint8_t value) {
    outp(value, OCR0);
  }
  async command uint8_t Clock.getInterval() {
    return inp(OCR0);
  }
  async command uint8_t Clock.readCounter() {
    return inp(TCNT0);
  }
  TOSH_INTERRUPT(SIG_OUTPUT_COMPARE0) {
    signal Clock.fire();
  }
  command result_t StdControl.init() {
    return SUCCESS;
  }
  command result_t StdControl.start() {
    return call Clock.setRate(STANDARD_INTERVAL, STANDARD_SCALE);
  }
  command result_t StdControl.stop() {
    return call Clock.setRate(STANDARD_INTERVAL, STOPPED);
  }
}
