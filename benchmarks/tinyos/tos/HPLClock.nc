module HPLClock {
  provides interface Clock;
  provides interface StdControl;
}
implementation {
  uint8_t set_flag;
  uint8_t mscale, nextScale, minterval;

  command result_t StdControl.init() {
    atomic {
      mscale = 3;
      minterval = 230;
    }
    return SUCCESS;
  }
  command result_t StdControl.start() {
    uint8_t mi, ms;
    atomic {
      mi = minterval;
      ms = mscale;
    }
    call Clock.setRate(mi, ms);
    return SUCCESS;
  }
  command result_t StdControl.stop() {
    uint8_t mi;
    atomic {
      mi = minterval;
    }
    call Clock.setRate(mi, 0);
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
  async command result_t Clock.setRate(char interval, char scale) {
    scale &= 0x7;
    scale |= 0x8;
    atomic {
      cbi(TIMSK, 0);
      cbi(TIMSK, OCIE0);
      sbi(ASSR, 3);
      outp(scale, TCCR0);
      outp(0, TCNT0);
      outp(interval, OCR0);
      sbi(TIMSK, OCIE0);
    }
    return SUCCESS;
  }
  TOSH_INTERRUPT(SIG_OUTPUT_COMPARE0) {
    atomic {
      if (set_flag) {
        mscale = nextScale;
        nextScale |= 0x8;
        outp(nextScale, TCCR0);
        outp(minterval, OCR0);
        set_flag = 0;
      }
    }
    signal Clock.fire();
  }
}
