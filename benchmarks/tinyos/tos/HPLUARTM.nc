module HPLUARTM {
  provides interface HPLUART as UART;
}
implementation {
  async command result_t UART.init() {
    outp(12, UBRR);
    inp(UDR);
    outp(0xd8, UCR);
    return SUCCESS;
  }
  async command result_t UART.stop() {
    outp(0x00, UCR);
    return SUCCESS;
  }
  default async event result_t UART.get(uint8_t data) {
    return SUCCESS;
  }
  TOSH_SIGNAL(SIG_UART_RECV) {
    if (inp(USR) & (1 << 7))
      signal UART.get(inp(UDR));
  }
  default async event result_t UART.putDone() {
    return SUCCESS;
  }
  TOSH_INTERRUPT(SIG_UART_TRANS) {
    signal UART.putDone();
  }
  async command result_t UART.put(uint8_t data) {
    outp(data, UDR);
    return SUCCESS;
  }
}
