/* Three LEDs, lit while their pins are low. */
module LedsM {
  provides interface Leds;
}
implementation {
  enum { RED = 1, GREEN = 2, YELLOW = 4, ALL = RED | GREEN | YELLOW };
  uint8_t lit;

  /* Lights those LEDs of `which` that are in `on`, puts the others of them out and leaves the rest. */
  result_t change(uint8_t which, uint8_t on) {
    atomic {
      lit = (lit & ~which) | (on & which);
      if (lit & RED)
        TOSH_CLR_RED_LED_PIN();
      else
        TOSH_SET_RED_LED_PIN();
      if (lit & GREEN)
        TOSH_CLR_GREEN_LED_PIN();
      else
        TOSH_SET_GREEN_LED_PIN();
      if (lit & YELLOW)
        TOSH_CLR_YELLOW_LED_PIN();
      else
        TOSH_SET_YELLOW_LED_PIN();
    }
    return SUCCESS;
  }
  result_t toggle(uint8_t which) {
    atomic change(which, ~lit);
    return SUCCESS;
  }
  async command result_t Leds.init() {
    return change(ALL, 0);
  }
  async command result_t Leds.set(uint8_t value) {
    return change(ALL, value);
  }
  async command result_t Leds.redOn() {
    return change(RED, RED);
  }
  async command result_t Leds.greenOn() {
    return change(GREEN, GREEN);
  }
  async command result_t Leds.yellowOn() {
    return change(YELLOW, YELLOW);
  }
  async command result_t Leds.redOff() {
    return change(RED, 0);
  }
  async command result_t Leds.greenOff() {
    return change(GREEN, 0);
  }
  async command result_t Leds.yellowOff() {
    return change(YELLOW, 0);
  }
  async command result_t Leds.redToggle() {
    return toggle(RED);
  }
  async command result_t Leds.greenToggle() {
    return toggle(GREEN);
  }
  async command result_t Leds.yellowToggle() {
    return toggle(YELLOW);
  }
}
