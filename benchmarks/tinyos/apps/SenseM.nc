/* Shows the three upper bits of the light, the darker the more LEDs. */
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
    return call Leds.set(~data >> 7);
  }
}
