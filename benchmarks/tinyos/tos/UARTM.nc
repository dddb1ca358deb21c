module UARTM {
  provides interface ByteComm;
  provides interface StdControl as Control;
  uses interface HPLUART;
}
implementation {
  bool state;

  command result_t Control.init() {
    atomic state = FALSE;
    return SUCCESS;
  }
  command result_t Control.start() {
    return call HPLUART.init();
  }
  command result_t Control.stop() {
    return call HPLUART.stop();
  }
  async event result_t HPLUART.get(uint8_t data) {
    signal ByteComm.rxByteReady(data, FALSE, 0);
    return SUCCESS;
  }
  async event result_t HPLUART.putDone() {
    bool oldState;

    atomic {
      oldState = state;
      state = FALSE;
    }
    if (oldState) {
      signal ByteComm.txDone();
      signal ByteComm.txByteReady(TRUE);
    }
    return SUCCESS;
  }
  async command result_t ByteComm.txByte(uint8_t data) {
    bool oldState;

    atomic {
      oldState = state;
      state = TRUE;
    }
    if (oldState)
      return FAIL;
    call HPLUART.put(data);
    return SUCCESS;
  }
  default async event result_t ByteComm.rxByteReady(uint8_t data, bool error, uint16_t strength) {
    return SUCCESS;
  }
  default async event result_t ByteComm.txDone() {
    return SUCCESS;
  }
  default async event result_t ByteComm.txByteReady(bool success) {
    return SUCCESS;
  }
}
