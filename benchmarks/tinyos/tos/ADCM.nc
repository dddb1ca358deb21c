module ADCM {
  provides {
    interface ADC[uint8_t port];
    interface ADCControl;
  }
  uses interface HPLADC;
}
implementation {
  enum { IDLE = 0, SINGLE_CONVERSION = 1, CONTINUOUS_CONVERSION = 2, TOSH_ADC_PORTMAPSIZE = 12 };
  uint16_t ReqPort;
  uint16_t ReqVector;
  uint16_t ContReqMask;
  uint8_t state;
#ifdef TOSPORT
  norace uint8_t tosPort;
#endif

  command result_t ADCControl.init() {
    atomic {
      ReqPort = 0;
      ReqVector = ContReqMask = 0;
      state = IDLE;
    }
    return call HPLADC.init();
  }
  command result_t ADCControl.bindPort(uint8_t port, uint8_t adcPort) {
    return call HPLADC.bindPort(port, adcPort);
  }
  default async event result_t ADC.dataReady[uint8_t port](uint16_t data) {
    return FAIL;
  }

#ifdef TOSPORT
  /* One request at a time: whoever moves the state from idle to busy owns tosPort until the converter has answered. */
  async event result_t HPLADC.dataReady(uint16_t data) {
    uint8_t doneValue = tosPort;
    result_t ok;
    atomic state = IDLE;
    ok = signal ADC.dataReady[doneValue](data);
    return ok;
  }
  result_t startGet(uint8_t newState, uint8_t port) {
    uint8_t oldState;
    if (port >= TOSH_ADC_PORTMAPSIZE)
      return FAIL;
    atomic {
      oldState = state;
      if (state == IDLE)
        state = newState;
    }
    if (oldState == IDLE) {
      tosPort = port;
      return call HPLADC.samplePort(port);
    }
    return FAIL;
  }
#else
  async event result_t HPLADC.dataReady(uint16_t data) {
    uint16_t doneValue = data;
    uint8_t donePort, nextPort = 0xff;
    result_t result;

    atomic {
      donePort = ReqPort;
      if (ReqVector & (1 << donePort) && !(ContReqMask & (1 << donePort)))
        ReqVector &= ~(1 << donePort);
      if (ReqVector) {
        do {
          ReqPort++;
          ReqPort = ReqPort == TOSH_ADC_PORTMAPSIZE ? 0 : ReqPort;
        } while (((1 << ReqPort) & ReqVector) == 0);
        nextPort = ReqPort;
      }
    }
    if (nextPort != 0xff)
      call HPLADC.samplePort(nextPort);
    result = signal ADC.dataReady[donePort](doneValue);
    if (result == FAIL && (ContReqMask & (1 << donePort))) {
      atomic {
        ReqVector &= ~(1 << donePort);
        ContReqMask &= ~(1 << donePort);
      }
    }
    return SUCCESS;
  }
  result_t startGet(uint8_t newState, uint8_t port) {
    uint16_t PortMask, oldReqVector;
    result_t result = SUCCESS;

    PortMask = 1 << port;
    if ((PortMask & ReqVector) != 0) {
      result = FAIL;
    } else {
      atomic {
        oldReqVector = ReqVector;
        ReqVector |= PortMask;
        if (newState == CONTINUOUS_CONVERSION)
          ContReqMask |= PortMask;
        if (oldReqVector == 0) {
          ReqPort = port;
          result = call HPLADC.samplePort(port);
        }
      }
    }
    return result;
  }
#endif
  async command result_t ADC.getData[uint8_t port]() {
    return startGet(SINGLE_CONVERSION, port);
  }
  async command result_t ADC.getContinuousData[uint8_t port]() {
    return startGet(CONTINUOUS_CONVERSION, port);
  }
}
