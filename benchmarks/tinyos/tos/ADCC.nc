configuration ADCC {
  provides {
    interface ADC[uint8_t port];
    interface ADCControl;
  }
}
implementation {
  components ADCM, HPLADCM;
  ADC = ADCM;
  ADCControl = ADCM;
  ADCM.HPLADC -> HPLADCM;
}
