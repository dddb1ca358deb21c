/* Samples the radio's bit while nothing is sent or received: until a preamble is seen, then at twice the rate of the bits until
   the start symbol is seen among the even or the odd samples. Timer 2's interrupt is enabled only for that: it ends with
   startSymDetect or stopMonitorChannel and begins with startSymbolSearch. */
module ChannelMonM {
  provides interface ChannelMon;
  uses interface Random;
}
implementation {
  enum { LISTENING, SEARCHING, OFF };
  enum {
    TICKS_PER_SAMPLE = 200, TIMER2_ON = 0x09, START_SYMBOL = 0x135, START_MASK = 0x1ff, PREAMBLE = 0x707, PREAMBLE_MASK = 0x777,
    SILENCE_MASK = 0xfff, SAMPLES_TO_SEARCH = 30, NOBODY = 0
  };
  uint8_t state;
  uint16_t seen[2]; /* the last samples; while searching, the even and the odd ones */
  uint8_t half; /* which of them is next */
  uint8_t samplesLeft;
  uint8_t delay; /* samples until whoever wants to send may look for silence; NOBODY if nobody wants to */

  uint8_t drawDelay(uint8_t mask, uint8_t least) {
    return (call Random.rand() & mask) + least;
  }
  void shift(uint8_t which, uint8_t bit) {
    seen[which] = (seen[which] << 1) | bit;
  }
  void search(uint8_t bit) {
    samplesLeft--;
    if (samplesLeft == 0) {
      state = LISTENING;
      return;
    }
    shift(half, bit);
    if ((seen[half] & START_MASK) == START_SYMBOL) {
      cbi(TIMSK, OCIE2);
      state = LISTENING;
      seen[half] = 0;
      signal ChannelMon.startSymDetect();
    }
    half = !half;
  }
  /* One sample nearer to sending. */
  void wait() {
    if (delay == NOBODY)
      return;
    delay--;
    if (delay != NOBODY)
      return;
    if (seen[0] & SILENCE_MASK)
      delay = drawDelay(0x1f, 29);
    else
      signal ChannelMon.idleDetect();
  }
  void listen(uint8_t bit) {
    shift(0, bit);
    wait();
    if ((seen[0] & PREAMBLE_MASK) == PREAMBLE) {
      seen[0] = seen[1] = 0;
      samplesLeft = SAMPLES_TO_SEARCH;
      state = SEARCHING;
    }
  }
  TOSH_SIGNAL(SIG_OUTPUT_COMPARE2) {
    uint8_t bit = TOSH_READ_RFM_RXD_PIN();

    atomic {
      if (state == SEARCHING)
        search(bit);
      else if (state == LISTENING)
        listen(bit);
    }
  }
  async command result_t ChannelMon.init() {
    atomic delay = NOBODY;
    return call ChannelMon.startSymbolSearch();
  }
  async command result_t ChannelMon.startSymbolSearch() {
    atomic {
      state = LISTENING;
      outp(TICKS_PER_SAMPLE, OCR2);
      outp(TIMER2_ON, TCCR2);
      sbi(TIMSK, OCIE2);
    }
    return SUCCESS;
  }
  async command result_t ChannelMon.stopMonitorChannel() {
    atomic {
      state = OFF;
      cbi(TIMSK, OCIE2);
    }
    return SUCCESS;
  }
  async command result_t ChannelMon.macDelay() {
    atomic {
      seen[0] = 0xff;
      if (delay == NOBODY)
        delay = drawDelay(0x2f, 79);
    }
    return SUCCESS;
  }
}
