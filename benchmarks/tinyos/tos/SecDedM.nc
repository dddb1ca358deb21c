/* A byte as three on the air: a sum of one mask for each of its bits that is set, the upper four bits, the lower four bits. */
module SecDedM {
  provides interface RadioEncoding as Code;
}
implementation {
  enum { SUM_OF_NONE = 0x65 };
  static const uint8_t masks[8] = {0x5b, 0x58, 0x52, 0x51, 0x31, 0x34, 0x25, 0x15};
  norace uint8_t heard[2];
  norace uint8_t heardCount;

  uint8_t sumOf(uint8_t data) {
    uint8_t n, sum = SUM_OF_NONE;

    for (n = 0; n < 8; n++)
      if (data >> n & 1)
        sum ^= masks[n];
    return sum;
  }
  /* Tells the byte behind `data` and the sum that came with it. A difference that is one bit's mask is that bit turned over, one
     bit of difference is in the sum itself, any other is an error. */
  void tell(uint8_t sum, uint8_t data) {
    uint8_t n, difference = sumOf(data) ^ sum;
    bool error = (difference & (difference - 1)) != 0;

    for (n = 0; n < 8; n++) {
      if (difference == masks[n]) {
        data ^= 1 << n;
        error = FALSE;
      }
    }
    signal Code.decodeDone(data, error);
  }
  async command result_t Code.decode(char byte) {
    if (heardCount < 2) {
      heard[heardCount] = byte;
      heardCount++;
    } else {
      heardCount = 0;
      tell(heard[0], (heard[1] << 4) | (byte & 0xf));
    }
    return SUCCESS;
  }
  async command result_t Code.encode(char byte) {
    uint8_t data = byte;

    signal Code.encodeDone(sumOf(data));
    signal Code.encodeDone(data >> 4);
    signal Code.encodeDone(data & 0xf);
    return SUCCESS;
  }
  async command result_t Code.encode_flush() {
    return SUCCESS;
  }
}
