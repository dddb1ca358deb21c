/* Enciphers what is sent and adds a code of four bytes; deciphers what is received if the code is right. */
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
  enum { BLOCK = 8, KEY = 8 };
  enum { CIPHERED = TOSH_DATA_LENGTH - TINYSEC_MAC_LENGTH - 1, CODE_AT = TOSH_DATA_LENGTH - TINYSEC_MAC_LENGTH };
  CipherModeContext cipher;
  MACContext authenticator;
  bool ready;
  norace bool busy; /* from receiveInit until the code has been computed */
  uint8_t keys[2 * KEY]; /* one for the cipher, one for the code */
  uint8_t vector[BLOCK];
  uint8_t forged; /* messages with a wrong code */
  TOS_Msg ciphered;
  TOS_MsgPtr plain;

  void code(TOS_MsgPtr msg, uint8_t *result) {
    call MAC.initIncrementalMAC(&authenticator, CIPHERED);
    call MAC.incrementalMAC(&authenticator, (uint8_t *)msg->data, CIPHERED);
    call MAC.getIncrementalMAC(&authenticator, result, TINYSEC_MAC_LENGTH);
  }
  /* Counts up, so that no two messages are enciphered alike. */
  void nextVector() {
    uint8_t n = 0;

    do
      vector[n]++;
    while (vector[n] == 0 && ++n < BLOCK);
  }

  /* ---------------------------------------------------------------- sending */
  async command result_t TinySec.receiveInit(TOS_MsgPtr msg) {
    bool before;

    atomic {
      before = busy;
      busy = TRUE;
    }
    return before ? FAIL : SUCCESS;
  }
  command result_t TinySec.send(TOS_MsgPtr msg) {
    uint8_t *result = (uint8_t *)ciphered.data + CODE_AT;

    if (!ready || !call TinySec.receiveInit(msg))
      return FAIL;
    ciphered.addr = msg->addr;
    ciphered.group = msg->group;
    ciphered.type = msg->type;
    ciphered.length = msg->length;
    nextVector();
    call BlockCipherMode.encrypt(&cipher, (uint8_t *)msg->data, (uint8_t *)ciphered.data, CIPHERED, vector);
    code(&ciphered, result);
    signal TinySec.computed(result);
    atomic busy = FALSE;
    return SUCCESS;
  }
  default async event result_t TinySec.computed(uint8_t *mac) {
    return SUCCESS;
  }
  command result_t SecureSend.send(TOS_MsgPtr msg) {
    if (!call TinySec.send(msg))
      return FAIL;
    plain = msg;
    return call RadioSend.send(&ciphered);
  }
  event result_t RadioSend.sendDone(TOS_MsgPtr msg, result_t success) {
    plain->ack = msg->ack;
    return signal SecureSend.sendDone(plain, success);
  }

  /* ---------------------------------------------------------------- receiving */
  bool genuine(TOS_MsgPtr msg) {
    uint8_t n, wrong = 0, result[TINYSEC_MAC_LENGTH];

    code(msg, result);
    for (n = 0; n < TINYSEC_MAC_LENGTH; n++)
      wrong |= result[n] ^ (uint8_t)msg->data[CODE_AT + n];
    return wrong == 0;
  }
  event TOS_MsgPtr RadioReceive.receive(TOS_MsgPtr msg) {
    if (genuine(msg)) {
      call BlockCipherMode.decrypt(&cipher, (uint8_t *)msg->data, (uint8_t *)msg->data, CIPHERED, vector);
      return signal SecureReceive.receive(msg);
    }
    forged++;
    call Leds.redToggle();
    return msg;
  }

  /* ---------------------------------------------------------------- on and off */
  command result_t TinySec.init() {
    vector[0] = call Random.rand();
    ready = rcombine(call BlockCipherMode.init(&cipher, KEY, keys), call MAC.init(&authenticator, KEY, keys + KEY));
    return ready;
  }
  command result_t StdControl.init() {
    uint8_t n;

    for (n = 0; n < sizeof(keys); n++)
      keys[n] = 17 * n;
    memset(vector, 0, BLOCK);
    atomic busy = FALSE;
    return call TinySec.init();
  }
  command result_t StdControl.start() {
    return SUCCESS;
  }
  command result_t StdControl.stop() {
    return SUCCESS;
  }
}
