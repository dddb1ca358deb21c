/* Bytes to and from the radio chip, clocked by timer 2. One byte waits in `waiting` while another is shifted out. */
module SpiByteFifoM {
  provides interface SpiByteFifo;
}
implementation {
  enum { QUIET, READY, LOADED, HEARING }; /* LOADED: `waiting` holds a byte */
  enum { TICKS_PER_BIT = 50, TIMER2_OFF = 0, TIMER2_ON = 0x19, SPI_OFF = 0, SPI_ON = 0xc0, CLOCK_PIN = 7, DATA_PIN = 6 };
  enum { LEAD = 381, LAST_MOMENT = 0xfff0 };
  uint8_t state;
  uint8_t waiting;

  /* Sets the counter of the bit clock, which stands still. */
  void stopClock(uint8_t count) {
    outp(TIMER2_OFF, TCCR2);
    outp(count, TCNT2);
    outp(TICKS_PER_BIT, OCR2);
  }
  void startClock() {
    outp(TIMER2_ON, TCCR2);
  }
  void startSending(uint8_t first) {
    cbi(PORTB, CLOCK_PIN);
    sbi(DDRB, CLOCK_PIN);
    stopClock(0);
    startClock();
    outp(first, SPDR);
    call SpiByteFifo.enableIntr();
  }
  void radioMode(bool listens, bool sends) {
    if (listens)
      TOSH_SET_RFM_CTL0_PIN();
    else
      TOSH_CLR_RFM_CTL0_PIN();
    if (listens || sends)
      TOSH_SET_RFM_CTL1_PIN();
    else
      TOSH_CLR_RFM_CTL1_PIN();
  }

  TOSH_SIGNAL(SIG_SPI) {
    uint8_t heard = inp(SPDR);

    atomic {
      outp(waiting, SPDR);
      state = READY;
    }
    signal SpiByteFifo.dataReady(heard);
  }
  async command result_t SpiByteFifo.send(uint8_t data) {
    bool taken = TRUE;

    atomic {
      switch (state) {
        case READY:
          waiting = data;
          state = LOADED;
          break;
        case QUIET:
          startSending(data);
          state = READY;
          break;
        default:
          taken = FALSE;
      }
    }
    return taken ? SUCCESS : FAIL;
  }
  async command result_t SpiByteFifo.startReadBytes(uint16_t timing) {
    bool taken;

    atomic {
      taken = state == QUIET;
      if (taken) {
        uint16_t begin = timing < LAST_MOMENT - LEAD ? timing + LEAD : LAST_MOMENT;

        state = HEARING;
        outp(SPI_OFF, SPCR);
        cbi(DDRB, CLOCK_PIN);
        stopClock(1);
        do {
        } while (__inw_atomic(&TCNT1L) < begin);
        call SpiByteFifo.enableIntr();
        outp(0, SPDR);
        startClock();
      }
    }
    return taken ? SUCCESS : FAIL;
  }
  async command result_t SpiByteFifo.idle() {
    atomic {
      state = QUIET;
      waiting = 0;
      outp(SPI_OFF, SPCR);
      outp(0, SPDR);
      outp(TIMER2_OFF, TCCR2);
    }
    TOSH_MAKE_RFM_TXD_OUTPUT();
    TOSH_CLR_RFM_TXD_PIN();
    radioMode(FALSE, FALSE);
    return SUCCESS;
  }
  async command result_t SpiByteFifo.txMode() {
    radioMode(FALSE, TRUE);
    return SUCCESS;
  }
  async command result_t SpiByteFifo.rxMode() {
    TOSH_MAKE_RFM_TXD_INPUT();
    TOSH_CLR_RFM_TXD_PIN();
    radioMode(TRUE, FALSE);
    return SUCCESS;
  }
  async command result_t SpiByteFifo.initSlave() {
    atomic {
      cbi(DDRB, DATA_PIN);
      cbi(DDRB, CLOCK_PIN);
      outp(SPI_OFF, SPCR);
      state = QUIET;
    }
    return SUCCESS;
  }
  async command result_t SpiByteFifo.enableIntr() {
    outp(SPI_ON, SPCR);
    return SUCCESS;
  }
  async command result_t SpiByteFifo.disableIntr() {
    cbi(SPCR, 7);
    return SUCCESS;
  }
}
