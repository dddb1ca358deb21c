module ChannelMonM {
  provides interface ChannelMon;
  uses interface Random;
}
implementation {
  enum { IDLE_STATE, START_SYMBOL_SEARCH, PACKET_START, DISABLED_STATE };
  enum { SAMPLE_RATE = 100 / 2 * 4 };
  unsigned short CM_search[2];
  char CM_state;
  unsigned char CM_lastBit;
  unsigned char CM_startSymBits;
  short CM_waiting;

  async command result_t ChannelMon.init() {
    atomic CM_waiting = -1;
    return call ChannelMon.startSymbolSearch();
  }
  async command result_t ChannelMon.startSymbolSearch() {
    atomic {
      CM_state = IDLE_STATE;
      outp(0x09, TCCR2);
      outp(SAMPLE_RATE, OCR2);
      sbi(TIMSK, OCIE2);
    }
    return SUCCESS;
  }
  async command result_t ChannelMon.stopMonitorChannel() {
    atomic {
      cbi(TIMSK, OCIE2);
      CM_state = DISABLED_STATE;
    }
    return SUCCESS;
  }
  TOSH_SIGNAL(SIG_OUTPUT_COMPARE2) {
    uint8_t bit = TOSH_READ_RFM_RXD_PIN();
    atomic {
      if (CM_state == START_SYMBOL_SEARCH) {
        unsigned short current = CM_search[CM_lastBit];
        CM_startSymBits--;
        if (CM_startSymBits == 0) {
          CM_state = IDLE_STATE;
        } else {
          current <<= 1;
          current &= 0x1ff;
          if (bit)
            current |= 0x1;
          if (current == 0x135) {
            cbi(TIMSK, OCIE2);
            CM_state = IDLE_STATE;
            signal ChannelMon.startSymDetect();
            current = 0;
          }
          CM_search[CM_lastBit] = current;
          CM_lastBit ^= 1;
        }
      } else if (CM_state == IDLE_STATE) {
        CM_search[0] <<= 1;
        CM_search[0] |= bit;
        if (CM_waiting != -1) {
          CM_waiting--;
          if (CM_waiting == 1) {
            if ((CM_search[0] & 0xfff) == 0) {
              CM_waiting = -1;
              signal ChannelMon.idleDetect();
            } else {
              CM_waiting = (call Random.rand() & 0x1f) + 30;
            }
          }
        }
        if ((CM_search[0] & 0x777) == 0x707) {
          CM_state = START_SYMBOL_SEARCH;
          CM_search[0] = CM_search[1] = 0;
          CM_startSymBits = 30;
        }
      }
    }
  }
  async command result_t ChannelMon.macDelay() {
    atomic {
      CM_search[0] = 0xff;
      if (CM_waiting == -1)
        CM_waiting = (call Random.rand() & 0x2f) + 80;
    }
    return SUCCESS;
  }
}
