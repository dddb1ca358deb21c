module SpiByteFifoM {
  provides interface SpiByteFifo;
}
implementation {
  uint8_t nextByte;
  uint8_t state;
  enum { IDLE, FULL, OPEN, READING };
  enum { BIT_RATE = 20 * 4 / 2 * 5 / 4 };

  TOSH_SIGNAL(SIG_SPI) {
    uint8_t temp = inp(SPDR);
    atomic {
      outp(nextByte, SPDR);
      state = OPEN;
    }
    signal SpiByteFifo.dataReady(temp);
  }
  async command result_t SpiByteFifo.send(uint8_t data) {
    result_t rval = FAIL;
    atomic {
      if (state == OPEN) {
        nextByte = data;
        state = FULL;
        rval = SUCCESS;
      } else if (state == IDLE) {
        state = OPEN;
        cbi(PORTB, 7);
        sbi(DDRB, 7);
        outp(0, TCCR2);
        outp(0, TCNT2);
        outp(BIT_RATE, OCR2);
        outp(0x19, TCCR2);
        outp(data, SPDR);
        call SpiByteFifo.enableIntr();
        rval = SUCCESS;
      }
    }
    return rval;
  }
  async command result_t SpiByteFifo.idle() {
    atomic {
      outp(0x00, SPCR);
      outp(0x00, SPDR);
      outp(0x00, TCCR2);
      nextByte = 0;
      state = IDLE;
    }
    TOSH_MAKE_RFM_TXD_OUTPUT();
    TOSH_CLR_RFM_TXD_PIN();
    TOSH_CLR_RFM_CTL0_PIN();
    TOSH_CLR_RFM_CTL1_PIN();
    return SUCCESS;
  }
  async command result_t SpiByteFifo.startReadBytes(uint16_t timing) {
    result_t rval = FAIL;
    atomic {
      if (state == IDLE) {
        state = READING;
        outp(0x00, SPCR);
        cbi(DDRB, 7);
        outp(0x0, TCCR2);
        outp(0x1, TCNT2);
        outp(BIT_RATE, OCR2);
        timing += 400 - 19;
        if (timing > 0xfff0)
          timing = 0xfff0;
        while (__inw_atomic(&TCNT1L) < timing) { }
        outp(0xc0, SPCR);
        outp(0x00, SPDR);
        outp(0x19, TCCR2);
        rval = SUCCESS;
      }
    }
    return rval;
  }
  async command result_t SpiByteFifo.txMode() {
    TOSH_CLR_RFM_CTL0_PIN();
    TOSH_SET_RFM_CTL1_PIN();
    return SUCCESS;
  }
  async command result_t SpiByteFifo.rxMode() {
    TOSH_CLR_RFM_TXD_PIN();
    TOSH_MAKE_RFM_TXD_INPUT();
    TOSH_SET_RFM_CTL0_PIN();
    TOSH_SET_RFM_CTL1_PIN();
    return SUCCESS;
  }
  async command result_t SpiByteFifo.initSlave() {
    atomic {
      state = IDLE;
      outp(0x00, SPCR);
      cbi(DDRB, 7);
      cbi(DDRB, 6);
    }
    return SUCCESS;
  }
  async command result_t SpiByteFifo.enableIntr() {
    outp(0xc0, SPCR);
    return SUCCESS;
  }
  async command result_t SpiByteFifo.disableIntr() {
    cbi(SPCR, 7);
    return SUCCESS;
  }
}
