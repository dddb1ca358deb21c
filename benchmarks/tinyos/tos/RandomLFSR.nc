/* A shift register of 16 bits with feedback, seeded by the node's address. */
module RandomLFSR {
  provides interface Random;
}
implementation {
  enum { FEEDBACK = 0x100b };
  uint16_t bits, mask;

  async command result_t Random.init() {
    uint16_t node = TOS_LOCAL_ADDRESS + 1;

    atomic {
      bits = node * 14161;
      mask = node * 3973;
    }
    return SUCCESS;
  }
  async command uint16_t Random.rand() {
    uint16_t drawn;

    atomic {
      bits = (bits << 1) ^ ((bits >> 15) * FEEDBACK);
      drawn = bits ^ mask;
    }
    return drawn;
  }
}
