module TinySecM {
  provides interface TinySec;
  provides interface StdControl;
  provides interface BareSendMsg as SecureSend;
  provides interface ReceiveMsg as SecureReceive;
  uses {
    interface BlockCipherMode;
    interface MAC;
    interface BareSendMsg as RadioSend;
    interface ReceiveMsg as RadioReceive;
    interface Leds;
    interface Random;
  }
}
implementation {
  enum { BLOCKSIZE = 8, KEYSIZE = 8, COMPUTE_MAC_IDLE = 0, COMPUTE_MAC_INITIALIZED = 1, COMPUTE_MAC_BUSY = 2 };
  CipherModeContext cipherContext;
  MACContext macContext;
  bool initialized;
  uint8_t iv[BLOCKSIZE];
  uint8_t sendMAC[TINYSEC_MAC_LENGTH];
  uint8_t key1[2 * KEYSIZE];
  norace uint8_t cryptoState;
  uint8_t failures;
  TOS_Msg encrypted;
  TOS_MsgPtr plainPtr;

  command result_t StdControl.init() {
    uint8_t i;
    for (i = 0; i < 2 * KEYSIZE; i++)
      key1[i] = i * 17;
    memset(iv, 0, sizeof(iv));
    atomic cryptoState = COMPUTE_MAC_IDLE;
    return call TinySec.init();
  }
  command result_t StdControl.start() {
    return SUCCESS;
  }
  command result_t StdControl.stop() {
    return SUCCESS;
  }
  command result_t TinySec.init() {
    result_t r1, r2;
    uint8_t tmp = call Random.rand();
    r1 = call BlockCipherMode.init(&cipherContext, KEYSIZE, key1);
    r2 = call MAC.init(&macContext, KEYSIZE, key1 + KEYSIZE);
    iv[0] = tmp;
    initialized = rcombine(r1, r2);
    return initialized;
  }
  async command result_t TinySec.receiveInit(TOS_MsgPtr msg) {
    result_t ok = FAIL;
    atomic {
      if (cryptoState == COMPUTE_MAC_IDLE) {
        cryptoState = COMPUTE_MAC_INITIALIZED;
        ok = SUCCESS;
      }
    }
    return ok;
  }
  void nextIV() {
    uint8_t i;
    for (i = 0; i < BLOCKSIZE; i++)
      if (++iv[i])
        break;
  }
  default async event result_t TinySec.computed(uint8_t *mac) {
    return SUCCESS;
  }
  command result_t TinySec.send(TOS_MsgPtr msg) {
    if (!initialized)
      return FAIL;
    if (call TinySec.receiveInit(msg) == FAIL)
      return FAIL;
    nextIV();
    call BlockCipherMode.encrypt(&cipherContext, (uint8_t *)msg->data, (uint8_t *)encrypted.data, TOSH_DATA_LENGTH - 5, iv);
    call MAC.initIncrementalMAC(&macContext, msg->length);
    call MAC.incrementalMAC(&macContext, (uint8_t *)encrypted.data, msg->length);
    call MAC.getIncrementalMAC(&macContext, sendMAC, TINYSEC_MAC_LENGTH);
    encrypted.addr = msg->addr;
    encrypted.type = msg->type;
    encrypted.group = msg->group;
    encrypted.length = msg->length;
    memcpy(&encrypted.data[TOSH_DATA_LENGTH - 4], sendMAC, TINYSEC_MAC_LENGTH);
    signal TinySec.computed(sendMAC);
    atomic cryptoState = COMPUTE_MAC_IDLE;
    return SUCCESS;
  }
  command result_t SecureSend.send(TOS_MsgPtr msg) {
    plainPtr = msg;
    if (!call TinySec.send(msg))
      return FAIL;
    return call RadioSend.send(&encrypted);
  }
  event result_t RadioSend.sendDone(TOS_MsgPtr msg, result_t success) {
    plainPtr->ack = msg->ack;
    return signal SecureSend.sendDone(plainPtr, success);
  }
  event TOS_MsgPtr RadioReceive.receive(TOS_MsgPtr msg) {
    uint8_t i, ok = 1, mac[TINYSEC_MAC_LENGTH];
    call MAC.initIncrementalMAC(&macContext, msg->length);
    call MAC.incrementalMAC(&macContext, (uint8_t *)msg->data, msg->length);
    call MAC.getIncrementalMAC(&macContext, mac, TINYSEC_MAC_LENGTH);
    for (i = 0; i < TINYSEC_MAC_LENGTH; i++)
      if (mac[i] != (uint8_t)msg->data[TOSH_DATA_LENGTH - 4 + i])
        ok = 0;
    if (!ok) {
      failures++;
      call Leds.redToggle();
      return msg;
    }
    call BlockCipherMode.decrypt(&cipherContext, (uint8_t *)msg->data, (uint8_t *)msg->data, TOSH_DATA_LENGTH - 5, iv);
    return signal SecureReceive.receive(msg);
  }
}
