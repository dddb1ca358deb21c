module LedsM {
  provides interface Leds;
}
implementation {
  uint8_t ledsOn;
  enum { RED_BIT = 1, GREEN_BIT = 2, YELLOW_BIT = 4 };

  async command result_t Leds.init() {
    atomic {
      ledsOn = 0;
      TOSH_SET_RED_LED_PIN();
      TOSH_SET_YELLOW_LED_PIN();
      TOSH_SET_GREEN_LED_PIN();
    }
    return SUCCESS;
  }
  async command result_t Leds.redOn() {
    atomic {
      TOSH_CLR_RED_LED_PIN();
      ledsOn |= RED_BIT;
    }
    return SUCCESS;
  }
  async command result_t Leds.redOff() {
    atomic {
      TOSH_SET_RED_LED_PIN();
      ledsOn &= ~RED_BIT;
    }
    return SUCCESS;
  }
  async command result_t Leds.redToggle() {
    result_t rval;
    atomic {
      if (ledsOn & RED_BIT)
        rval = call Leds.redOff();
      else
        rval = call Leds.redOn();
    }
    return rval;
  }
  async command result_t Leds.greenOn() {
    atomic {
      TOSH_CLR_GREEN_LED_PIN();
      ledsOn |= GREEN_BIT;
    }
    return SUCCESS;
  }
  async command result_t Leds.greenOff() {
    atomic {
      TOSH_SET_GREEN_LED_PIN();
      ledsOn &= ~GREEN_BIT;
    }
    return SUCCESS;
  }
  async command result_t Leds.greenToggle() {
    result_t rval;
    atomic {
      if (ledsOn & GREEN_BIT)
        rval = call Leds.greenOff();
      else
        rval = call Leds.greenOn();
    }
    return rval;
  }
  async command result_t Leds.yellowOn() {
    atomic {
      TOSH_CLR_YELLOW_LED_PIN();
      ledsOn |= YELLOW_BIT;
    }
    return SUCCESS;
  }
  async command result_t Leds.yellowOff() {
    atomic {
      TOSH_SET_YELLOW_LED_PIN();
      ledsOn &= ~YELLOW_BIT;
    }
    return SUCCESS;
  }
  async command result_t Leds.yellowToggle() {
    result_t rval;
    atomic {
      if (ledsOn & YELLOW_BIT)
        rval = call Leds.yellowOff();
      else
        rval = call Leds.yellowOn();
    }
    return rval;
  }
  async command result_t Leds.set(uint8_t value) {
    atomic {
      ledsOn = value & 7;
      if (ledsOn & GREEN_BIT) TOSH_CLR_GREEN_LED_PIN(); else TOSH_SET_GREEN_LED_PIN();
      if (ledsOn & YELLOW_BIT) TOSH_CLR_YELLOW_LED_PIN(); else TOSH_SET_YELLOW_LED_PIN();
      if (ledsOn & RED_BIT) TOSH_CLR_RED_LED_PIN(); else TOSH_SET_RED_LED_PIN();
    }
    return SUCCESS;
  }
}
