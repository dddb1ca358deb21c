/* Conversions for any number of users, one after the other or, with TOSPORT, one at a time. */
module ADCM {
  provides {
    interface ADC[uint8_t port];
    interface ADCControl;
  }
  uses interface HPLADC;
}
implementation {
  enum { PORTS = 12 };

  command result_t ADCControl.bindPort(uint8_t port, uint8_t adcPort) {
    return call HPLADC.bindPort(port, adcPort);
  }
  default async event result_t ADC.dataReady[uint8_t port](uint16_t data) {
    return FAIL;
  }

#ifdef TOSPORT
  /* Whoever moves the state from FREE to BUSY owns tosPort until the converter has answered. */
  enum { FREE, BUSY };
  uint8_t state;
  norace uint8_t tosPort;

  command result_t ADCControl.init() {
    atomic state = FREE;
    return call HPLADC.init();
  }
  result_t ask(uint8_t port) {
    bool mine;

    if (port >= PORTS)
      return FAIL;
    atomic {
      mine = state == FREE;
      state = BUSY;
    }
    if (!mine)
      return FAIL;
    tosPort = port;
    return call HPLADC.samplePort(port);
  }
  async event result_t HPLADC.dataReady(uint16_t data) {
    uint8_t port = tosPort;

    atomic state = FREE;
    return signal ADC.dataReady[port](data);
  }
  async command result_t ADC.getData[uint8_t port]() {
    return ask(port);
  }
  async command result_t ADC.getContinuousData[uint8_t port]() {
    return ask(port);
  }
#else
  /* Sets of ports as bits: those that wait, and those of them that go on waiting after each answer. */
  uint16_t waiting, lasting;
  uint8_t current; /* the port that is being sampled while any waits */

  command result_t ADCControl.init() {
    atomic waiting = lasting = 0;
    return call HPLADC.init();
  }
  /* The next port after `port` that waits, perhaps itself; one does. In an atomic section. */
  uint8_t nextAfter(uint8_t port) {
    do
      port = (port + 1) % PORTS;
    while (!(waiting >> port & 1));
    return port;
  }
  result_t ask(uint8_t port, bool again) {
    uint16_t bit = (uint16_t)1 << port;
    result_t taken = FAIL;

    if (port >= PORTS)
      return FAIL;
    atomic {
      if (!(waiting & bit)) {
        taken = SUCCESS;
        if (waiting == 0) {
          current = port;
          taken = call HPLADC.samplePort(port);
        }
        waiting |= bit;
        if (again)
          lasting |= bit;
      }
    }
    return taken;
  }
  async event result_t HPLADC.dataReady(uint16_t data) {
    uint8_t port;
    uint16_t bit;

    atomic {
      port = current;
      bit = (uint16_t)1 << port;
      waiting &= ~bit | lasting;
      if (waiting) {
        current = nextAfter(port);
        call HPLADC.samplePort(current);
      }
    }
    if (!signal ADC.dataReady[port](data)) {
      atomic {
        waiting &= ~(bit & lasting);
        lasting &= ~bit;
      }
    }
    return SUCCESS;
  }
  async command result_t ADC.getData[uint8_t port]() {
    return ask(port, FALSE);
  }
  async command result_t ADC.getContinuousData[uint8_t port]() {
    return ask(port, TRUE);
  }
#endif
}
