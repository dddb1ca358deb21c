module PhotoM {
  provides interface StdControl;
  uses interface ADCControl;
}
implementation {
  command result_t StdControl.init() {
    call ADCControl.bindPort(1, 1);
    return call ADCControl.init();
  }
  command result_t StdControl.start() {
    TOSH_SET_PHOTO_CTL_PIN();
    TOSH_MAKE_PHOTO_CTL_OUTPUT();
    return SUCCESS;
  }
  command result_t StdControl.stop() {
    TOSH_CLR_PHOTO_CTL_PIN();
    return SUCCESS;
  }
}
