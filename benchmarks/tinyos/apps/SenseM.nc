module SenseM {
  provides interface StdControl;
  uses {
    interface Timer;
    interface ADC;
    interface StdControl as ADCControl;
    interface Leds;
  }
}
implementation {
  result_t display(uint16_t value) {
    if (value & 1) call Leds.yellowOn();
    else call Leds.yellowOff();
    if (value & 2) call Leds.greenOn();
    else call Leds.greenOff();
    if (value & 4) call Leds.redOn();
    else call Leds.redOff();
    return SUCCESS;
  }
  command result_t StdControl.init() {
    return call Leds.init();
  }
  command result_t StdControl.start() {
    return call Timer.start(0, 500);
  }
  command result_t StdControl.stop() {
    return call Timer.stop();
  }
  event result_t Timer.fired() {
    return call ADC.getData();
  }
  async event result_t ADC.dataReady(uint16_t data) {
    display(7 - ((data >> 7) & 0x7));
    return SUCCESS;
  }
}
