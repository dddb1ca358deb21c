module HPLADCM {
  provides interface HPLADC as ADC;
}
implementation {
  enum { TOSH_ADC_PORTMAPSIZE = 12 };
  bool init_portmap_done;
  uint8_t TOSH_adc_portmap[TOSH_ADC_PORTMAPSIZE];

  void init_portmap() {
    atomic {
      if (init_portmap_done == FALSE) {
        int i;
        for (i = 0; i < TOSH_ADC_PORTMAPSIZE; i++)
          TOSH_adc_portmap[i] = i;
        init_portmap_done = TRUE;
      }
    }
  }
  async command result_t ADC.init() {
    init_portmap();
    atomic {
      outp(0x04, ADCSR);
      sbi(ADCSR, ADIE);
      outp(0, ADMUX);
    }
    return SUCCESS;
  }
  async command result_t ADC.bindPort(uint8_t port, uint8_t adcPort) {
    if (port < TOSH_ADC_PORTMAPSIZE) {
      init_portmap();
      atomic TOSH_adc_portmap[port] = adcPort;
      return SUCCESS;
    }
    return FAIL;
  }
  async command result_t ADC.samplePort(uint8_t port) {
    atomic {
      outp((TOSH_adc_portmap[port] & 0x1F), ADMUX);
    }
    sbi(ADCSR, ADEN);
    sbi(ADCSR, ADSC);
    return SUCCESS;
  }
  async command result_t ADC.sampleAgain() {
    sbi(ADCSR, ADSC);
    return SUCCESS;
  }
  async command result_t ADC.sampleStop() {
    cbi(ADCSR, ADEN);
    return SUCCESS;
  }
  default async event result_t ADC.dataReady(uint16_t done) {
    return SUCCESS;
  }
  TOSH_SIGNAL(SIG_ADC) {
    uint16_t data = __inw_atomic(&ADCL);
    data &= 0x3ff;
    sbi(ADCSR, ADIF);
    cbi(ADCSR, ADEN);
    __nesc_enable_interrupt();
    signal ADC.dataReady(data);
  }
}
