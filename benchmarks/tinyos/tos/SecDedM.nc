module SecDedM {
  provides interface RadioEncoding as Code;
}
implementation {
  enum { IDLE_STATE = 0, DECODING_BYTE_3 = 1, DECODING_BYTE_2 = 2, DECODING_BYTE_1 = 3, ENCODING_BYTE = 4 };
  norace char data1;
  norace char data2;
  norace char data3;
  norace char state;

  void radio_decode_thread() {
    short error = 0;
    char val, val2, output;

    val = data1;
    val2 = data3;
    if (data2 & 0x1) val ^= 0x2;
    if (data2 & 0x2) val ^= 0x4;
    if ((val & 0x5b) == 0x1b) error |= 1;
    if (((val2 << 1) ^ val) & 0x6c) error |= 2;
    output = ((val >> 2) & 0xf) | ((val2 << 4) & 0xf0);
    if (error == 3)
      output ^= 0x10;
    signal Code.decodeDone(output, error);
  }
  void radio_encode_thread() {
    char ret_high = 0, ret_low = 0, parity = 0x65, val = data1;

    if ((val & 0x1) != 0) { ret_low |= 0x1; parity ^= 0x5b; }
    if ((val & 0x2) != 0) { ret_low |= 0x2; parity ^= 0x58; }
    if ((val & 0x4) != 0) { ret_low |= 0x4; parity ^= 0x52; }
    if ((val & 0x8) != 0) { ret_low |= 0x8; parity ^= 0x51; }
    if ((val & 0x10) != 0) { ret_high |= 0x1; parity ^= 0x31; }
    if ((val & 0x20) != 0) { ret_high |= 0x2; parity ^= 0x34; }
    if ((val & 0x40) != 0) { ret_high |= 0x4; parity ^= 0x25; }
    if ((val & 0x80) != 0) { ret_high |= 0x8; parity ^= 0x15; }
    state = IDLE_STATE;
    signal Code.encodeDone(parity);
    signal Code.encodeDone(ret_high);
    signal Code.encodeDone(ret_low);
  }
  async command result_t Code.decode(char d1) {
    if (state == IDLE_STATE) {
      state = DECODING_BYTE_1;
      data1 = d1;
      return SUCCESS;
    } else if (state == DECODING_BYTE_1) {
      state = DECODING_BYTE_2;
      data2 = d1;
      return SUCCESS;
    } else if (state == DECODING_BYTE_2) {
      data3 = d1;
      radio_decode_thread();
      state = IDLE_STATE;
      return SUCCESS;
    }
    return FAIL;
  }
  async command result_t Code.encode_flush() {
    return SUCCESS;
  }
  async command result_t Code.encode(char d) {
    if (state == IDLE_STATE) {
      state = ENCODING_BYTE;
      data1 = d;
      radio_encode_thread();
      return SUCCESS;
    }
    return FAIL;
  }
}
