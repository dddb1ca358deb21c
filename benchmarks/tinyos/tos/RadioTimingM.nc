module RadioTimingM {
  provides interface RadioTiming;
}
implementation {
  async command uint16_t RadioTiming.getTiming() {
    cbi(DDRB, 4);
    while (TOSH_READ_RFM_RXD_PIN()) { }
    outp(0x41, TCCR1B);
    outp(0x1 << ICF1, TIFR);
    while ((inp(TIFR) & (0x1 << ICF1)) == 0) { }
    sbi(PORTB, 6);
    cbi(PORTB, 6);
    return __inw_atomic(&ICR1L);
  }
  async command uint16_t RadioTiming.currentTime() {
    return __inw_atomic(&TCNT1L);
  }
}
