/* Bytes on the serial line, one at a time: whoever sets `busy` owns the transmitter until the byte has gone. */
module UARTM {
  provides interface ByteComm;
  provides interface StdControl as Control;
  uses interface HPLUART;
}
implementation {
  bool busy;

  /* Sets `busy`; what it was. */
  bool exchange(bool now) {
    bool before;

    atomic {
      before = busy;
      busy = now;
    }
    return before;
  }
  async command result_t ByteComm.txByte(uint8_t data) {
    if (exchange(TRUE))
      return FAIL;
    return call HPLUART.put(data);
  }
  async event result_t HPLUART.putDone() {
    if (exchange(FALSE)) {
      signal ByteComm.txDone();
      signal ByteComm.txByteReady(TRUE);
    }
    return SUCCESS;
  }
  async event result_t HPLUART.get(uint8_t data) {
    return signal ByteComm.rxByteReady(data, FALSE, 0);
  }
  default async event result_t ByteComm.txByteReady(bool success) {
    return SUCCESS;
  }
  default async event result_t ByteComm.txDone() {
    return SUCCESS;
  }
  default async event result_t ByteComm.rxByteReady(uint8_t data, bool error, uint16_t strength) {
    return SUCCESS;
  }
  command result_t Control.init() {
    exchange(FALSE);
    return SUCCESS;
  }
  command result_t Control.start() {
    return call HPLUART.init();
  }
  command result_t Control.stop() {
    return call HPLUART.stop();
  }
}
