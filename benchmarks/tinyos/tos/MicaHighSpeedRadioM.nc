/* Messages over the radio: a start pattern, the message up to the end of its data, its CRC, a pulse for the receiver to measure,
   and a pause in which the receiver acknowledges. ChannelMon's interrupt begins a reception or a transmission, the SPI's goes on
   with it byte by byte, and a task hands the message over and begins to listen again. */
includes crc;
module MicaHighSpeedRadioM {
  provides {
    interface StdControl as Control;
    interface BareSendMsg as Send;
    interface ReceiveMsg as Receive;
  }
  uses {
    interface RadioEncoding as Code;
    interface Random;
    interface SpiByteFifo;
    interface ChannelMon;
    interface RadioTiming;
  }
}
implementation {
  enum {
    LISTENING, CLAIMED, TX_PATTERN, TX_MESSAGE, TX_PULSE, TX_ACKNOWLEDGED, REPORTING, RX_HEADER, RX_BODY, RX_ACKNOWLEDGING
  };
  enum { HEADER = offsetof(TOS_Msg, data), CRC_AT = offsetof(TOS_Msg, crc), PULSES = 2, ACK_BYTES = 4, ACK = 0x55, RING = 4 };
  static const char pattern[] = {0xf0, 0xf0, 0xf0, 0xff, 0x00, 0xff, 0x0f, 0x00, 0xff, 0x0f, 0x0f, 0x0f};

  norace uint8_t state;
  norace TOS_Msg buffer;
  norace TOS_MsgPtr rec_ptr;
  norace TOS_MsgPtr send_ptr;
  norace uint8_t position; /* in the message that is being sent or received */
  norace uint8_t dataEnd; /* where in it the data ends and the CRC follows */
  norace uint8_t steps; /* bytes of pattern, pulse or pause so far */
  norace uint16_t calc_crc;
  norace char ring[RING]; /* encoded bytes to be sent */
  norace uint8_t ringFirst;
  norace uint8_t ringUsed;

  uint8_t endOf(uint8_t length) {
    return length < DATA_LENGTH ? HEADER + length : CRC_AT;
  }
  void advance() {
    position++;
    if (position == dataEnd)
      position = CRC_AT;
  }

  /* ---------------------------------------------------------------- tasks */
  task void packetReceived() {
    TOS_MsgPtr spare = signal Receive.receive(rec_ptr);

    if (spare != NULL)
      rec_ptr = spare;
    call ChannelMon.startSymbolSearch();
  }
  task void packetSent() {
    TOS_MsgPtr sent = send_ptr;

    sent->time = 0;
    atomic state = LISTENING;
    call ChannelMon.startSymbolSearch();
    signal Send.sendDone(sent, SUCCESS);
  }

  /* ---------------------------------------------------------------- sending */
  uint16_t crcOf(TOS_MsgPtr msg, uint8_t end) {
    uint16_t crc = 0;
    uint8_t n;

    for (n = 0; n < end; n++)
      crc = crcByte(crc, ((uint8_t *)msg)[n]);
    return crc;
  }
  command result_t Send.send(TOS_MsgPtr msg) {
    bool mine;

    atomic {
      mine = state == LISTENING;
      if (mine) {
        state = CLAIMED;
        send_ptr = msg;
      }
    }
    if (!mine)
      return FAIL;
    msg->crc = crcOf(msg, endOf(msg->length));
    return call ChannelMon.macDelay();
  }
  void encodeNext() {
    char byte = ((char *)send_ptr)[position];

    advance();
    call Code.encode(byte);
  }
  async event result_t ChannelMon.idleDetect() {
    bool ours;

    atomic {
      ours = state == CLAIMED;
      if (ours)
        state = TX_PATTERN;
    }
    if (ours) {
      ringFirst = ringUsed = 0;
      position = 0;
      dataEnd = endOf(send_ptr->length);
      steps = 1;
      call ChannelMon.stopMonitorChannel();
      call SpiByteFifo.txMode();
      call SpiByteFifo.send(pattern[0]);
      encodeNext();
    }
    return SUCCESS;
  }
  async event result_t Code.encodeDone(char byte) {
    ring[(ringFirst + ringUsed) % RING] = byte;
    ringUsed++;
    return SUCCESS;
  }
  void sendPattern() {
    call SpiByteFifo.send(pattern[steps]);
    steps++;
    if (steps == sizeof(pattern))
      state = TX_MESSAGE;
  }
  void sendMessage() {
    call SpiByteFifo.send(ring[ringFirst]);
    ringFirst = (ringFirst + 1) % RING;
    ringUsed--;
    if (ringUsed < 2 && position < MSG_DATA_SIZE) {
      encodeNext();
    } else if (ringUsed == 0) {
      call Code.encode_flush();
      steps = 0;
      state = TX_PULSE;
    }
  }
  void sendPulse() {
    if (steps < PULSES) {
      call SpiByteFifo.send(0xff);
      steps++;
    } else {
      call SpiByteFifo.rxMode();
      steps = 0;
      state = TX_ACKNOWLEDGED;
    }
  }
  void awaitAck(uint8_t heard) {
    call SpiByteFifo.send(0);
    if (steps == 0)
      call SpiByteFifo.rxMode();
    steps++;
    if (steps > ACK_BYTES) {
      send_ptr->ack = heard == ACK;
      state = REPORTING;
      call SpiByteFifo.idle();
      post packetSent();
    }
  }

  /* ---------------------------------------------------------------- receiving */
  async event result_t ChannelMon.startSymDetect() {
    uint16_t at;

    atomic state = RX_HEADER;
    at = call RadioTiming.getTiming();
    call SpiByteFifo.startReadBytes(at);
    position = 0;
    dataEnd = CRC_AT;
    calc_crc = 0;
    rec_ptr->strength = 0;
    rec_ptr->time = at;
    return SUCCESS;
  }
  async event result_t Code.decodeDone(char byte, char error) {
    if (state != RX_HEADER && state != RX_BODY)
      return FAIL;
    ((char *)rec_ptr)[position] = byte;
    if (position < CRC_AT)
      calc_crc = crcByte(calc_crc, byte);
    if (position == HEADER - 1) {
      dataEnd = endOf(rec_ptr->length);
      state = RX_BODY;
    }
    advance();
    if (position == MSG_DATA_SIZE) {
      rec_ptr->crc = rec_ptr->crc == calc_crc;
      steps = 0;
      state = RX_ACKNOWLEDGING;
    }
    return SUCCESS;
  }
  void receiveByte(uint8_t heard) {
    call Code.decode(heard);
    if (state != RX_ACKNOWLEDGING)
      rec_ptr->strength = heard;
  }
  void acknowledge() {
    steps++;
    if (steps <= ACK_BYTES + 1) {
      call SpiByteFifo.txMode();
      return;
    }
    state = LISTENING;
    call SpiByteFifo.idle();
    post packetReceived();
  }

  async event result_t SpiByteFifo.dataReady(uint8_t data) {
    switch (state) {
      case TX_PATTERN:
        sendPattern();
        break;
      case TX_MESSAGE:
        sendMessage();
        break;
      case TX_PULSE:
        sendPulse();
        break;
      case TX_ACKNOWLEDGED:
        awaitAck(data);
        break;
      case RX_HEADER:
      case RX_BODY:
        receiveByte(data);
        break;
      case RX_ACKNOWLEDGING:
        acknowledge();
        break;
    }
    return SUCCESS;
  }

  /* ---------------------------------------------------------------- on and off */
  command result_t Control.init() {
    atomic state = LISTENING;
    rec_ptr = &buffer;
    call Random.init();
    return call ChannelMon.init();
  }
  command result_t Control.start() {
    return call SpiByteFifo.initSlave();
  }
  command result_t Control.stop() {
    return SUCCESS;
  }
}
