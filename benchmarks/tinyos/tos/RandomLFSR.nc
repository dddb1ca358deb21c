module RandomLFSR {
  provides interface Random;
}
implementation {
  uint16_t shiftReg;
  uint16_t initSeed;
  uint16_t mask;
  async command result_t Random.init() {
    atomic {
      shiftReg = 119 * 119 * (TOS_LOCAL_ADDRESS + 1);
      initSeed = shiftReg;
      mask = 137 * 29 * (TOS_LOCAL_ADDRESS + 1);
    }
    return SUCCESS;
  }
  async command uint16_t Random.rand() {
    bool endbit;
    uint16_t tmpShiftReg;
    atomic {
      tmpShiftReg = shiftReg;
      endbit = ((tmpShiftReg & 0x8000) != 0);
      tmpShiftReg <<= 1;
      if (endbit)
        tmpShiftReg ^= 0x100b;
      tmpShiftReg++;
      shiftReg = tmpShiftReg;
      tmpShiftReg = tmpShiftReg ^ mask;
    }
    return tmpShiftReg;
  }
}
