/* The analog-digital converter. A port is a number that stands for a channel, its own unless another was bound to it. */
module HPLADCM {
  provides interface HPLADC as ADC;
}
implementation {
  enum { PORTS = 12, CHANNEL_MASK = 0x1f, BITS_10 = 0x3ff, PRESCALED = 4 };
  uint8_t rebound[PORTS]; /* 0: the channel of the port's own number; else the channel + 1 */

  uint8_t channel(uint8_t port) {
    return rebound[port] == 0 ? port : rebound[port] - 1;
  }
  async command result_t ADC.init() {
    atomic {
      outp(0, ADMUX);
      outp(PRESCALED | 1 << ADIE, ADCSR);
    }
    return SUCCESS;
  }
  async command result_t ADC.bindPort(uint8_t port, uint8_t adcPort) {
    if (port >= PORTS)
      return FAIL;
    atomic rebound[port] = adcPort + 1;
    return SUCCESS;
  }
  async command result_t ADC.samplePort(uint8_t port) {
    atomic outp(channel(port) & CHANNEL_MASK, ADMUX);
    sbi(ADCSR, ADEN);
    return call ADC.sampleAgain();
  }
  async command result_t ADC.sampleAgain() {
    sbi(ADCSR, ADSC);
    return SUCCESS;
  }
  async command result_t ADC.sampleStop() {
    cbi(ADCSR, ADEN);
    return SUCCESS;
  }
  default async event result_t ADC.dataReady(uint16_t data) {
    return SUCCESS;
  }
  TOSH_SIGNAL(SIG_ADC) {
    uint16_t sample = __inw_atomic(&ADCL) & BITS_10;

    sbi(ADCSR, ADIF);
    call ADC.sampleStop();
    __nesc_enable_interrupt();
    signal ADC.dataReady(sample);
  }
}
