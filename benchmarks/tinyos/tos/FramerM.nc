/* Messages on the serial line. A frame is FLAG, kind of frame, perhaps a token, the message, the CRC-16 of all that with its high
   byte first (so that the CRC of a whole good frame is 0), FLAG. Inside a frame a FLAG or ESCAPE goes as ESCAPE and the byte with
   one bit turned over.

   Sending: a task claims gTxState while it is TX_IDLE and hands over the first FLAG; from then on the transmit-done handler owns
   the transmitter and does one step for each byte that has gone. Receiving: the receive handler fills gMsgRcvTbl[gRxHeadIndex], the
   task PacketRcvd empties gMsgRcvTbl[gRxTailIndex]; an entry with a Length belongs to the task. */
includes crc;
module FramerM {
  provides {
    interface StdControl;
    interface TokenReceiveMsg;
    interface ReceiveMsg;
    interface BareSendMsg;
  }
  uses {
    interface ByteComm;
    interface StdControl as ByteControl;
  }
}
implementation {
  enum { FLAG = 0x7e, ESCAPE = 0x7d, TURNED = 0x20 };
  enum { PROTO_ACK = 64, PROTO_PACKET_ACK = 65, PROTO_PACKET_NOACK = 66, PROTO_UNKNOWN = 255 };
  enum { WANT_ECHO = 1, WANT_MESSAGE = 2, WANT_COMPLAINT = 4 };
  enum {
    TX_IDLE, TX_KIND, TX_BODY, TX_ESCAPED, TX_CRC_HIGH, TX_CRC_LOW, TX_CLOSE, TX_DRAIN, TX_BROKEN
  };
  enum { RX_HUNT, RX_KIND, RX_TOKEN, RX_BODY };
  enum { ENTRIES = 2, HEADER = offsetof(TOS_Msg, data), CRC_BYTES = 2 };

  struct RcvEntry {
    TOS_MsgPtr pMsg;
    uint16_t Length;
    uint8_t Proto;
    uint8_t Token;
  } gMsgRcvTbl[ENTRIES];
  TOS_Msg gMsgRcvBuf[ENTRIES];

  norace uint8_t gTxState;
  norace uint8_t gPrevTxState;
  norace uint8_t gTxEscByte;
  norace uint16_t gTxProto;
  norace uint16_t gTxLength;
  norace uint16_t gTxByteCnt;
  norace uint16_t gTxRunningCRC;
  uint8_t *gpTxBuf;
  uint8_t gFlags; /* the WANT_ bits of what waits or is being sent */
  uint8_t gTxGone; /* the WANT_ bits of what has been sent and not yet been told */
  TOS_MsgPtr gpTxMsg;
  uint8_t gTxTokenBuf;
  uint8_t gTxUnknownBuf;

  norace uint8_t gRxHeadIndex;
  norace uint8_t gRxTailIndex;
  uint8_t gRxState;
  uint8_t gRxTurn; /* TURNED right after an ESCAPE */
  uint16_t gRxByteCnt;
  uint16_t gRxRunningCRC;
  uint8_t *gpRxBuf;

  task void PacketSent();

  uint8_t following(uint8_t index) {
    return index + 1 < ENTRIES ? index + 1 : 0;
  }

  /* ---------------------------------------------------------------- what to send */
  /* Takes a wish unless the same is there already. In an atomic section. */
  bool wish(uint8_t want) {
    if (gFlags & want)
      return FALSE;
    gFlags |= want;
    return TRUE;
  }
  void describe(uint16_t kind, uint8_t *bytes, uint16_t length) {
    gTxProto = kind;
    gpTxBuf = bytes;
    gTxLength = length;
    gTxState = TX_KIND;
  }
  /* Claims the idle transmitter for the most urgent wish. In an atomic section. */
  bool claim() {
    uint8_t wanted = gFlags & ~gTxGone;

    if (gTxState != TX_IDLE || wanted == 0)
      return FALSE;
    if (wanted & WANT_ECHO)
      describe(PROTO_ACK, &gTxTokenBuf, 1);
    else if (wanted & WANT_MESSAGE)
      describe(PROTO_PACKET_NOACK, (uint8_t *)gpTxMsg, HEADER + gpTxMsg->length);
    else
      describe(PROTO_UNKNOWN, &gTxUnknownBuf, 1);
    return TRUE;
  }
  /* The wish that the described frame fulfils. */
  uint8_t fulfilled() {
    switch (gTxProto) {
      case PROTO_ACK:
        return WANT_ECHO;
      case PROTO_UNKNOWN:
        return WANT_COMPLAINT;
      default:
        return WANT_MESSAGE;
    }
  }
  result_t sendNext() {
    bool mine;

    atomic mine = claim();
    if (!mine)
      return SUCCESS;
    atomic {
      gTxByteCnt = 0;
      gTxRunningCRC = 0;
    }
    if (call ByteComm.txByte(FLAG))
      return SUCCESS;
    atomic gTxState = TX_BROKEN;
    post PacketSent();
    return FAIL;
  }
  task void PacketSent() {
    uint8_t gone;
    bool broken;
    TOS_MsgPtr message;

    atomic {
      broken = gTxState == TX_BROKEN;
      if (broken) {
        gTxGone |= fulfilled();
        gTxState = TX_IDLE;
      }
      gone = gTxGone;
      gTxGone = 0;
      gFlags &= ~gone;
      message = gpTxMsg;
    }
    if (gone & WANT_MESSAGE)
      signal BareSendMsg.sendDone(message, broken ? FAIL : SUCCESS);
    sendNext();
  }
  task void PacketUnknown() {
    sendNext();
  }
  command result_t BareSendMsg.send(TOS_MsgPtr msg) {
    bool taken;

    atomic {
      taken = wish(WANT_MESSAGE);
      if (taken)
        gpTxMsg = msg;
    }
    return taken ? sendNext() : FAIL;
  }
  command result_t TokenReceiveMsg.ReflectToken(uint8_t token) {
    bool taken;

    atomic {
      taken = wish(WANT_ECHO);
      if (taken)
        gTxTokenBuf = token;
    }
    return taken ? sendNext() : FAIL;
  }

  /* ---------------------------------------------------------------- sending, byte by byte */
  /* Sends a byte of the frame, after which the transmitter is to be in the state `then`. */
  result_t stuffed(uint8_t byte, uint8_t then) {
    if (byte == FLAG || byte == ESCAPE) {
      atomic {
        gTxEscByte = byte;
        gPrevTxState = then;
        gTxState = TX_ESCAPED;
      }
      byte = ESCAPE;
    } else {
      gTxState = then;
    }
    return call ByteComm.txByte(byte);
  }
  uint8_t counted(uint8_t byte) {
    gTxRunningCRC = crcByte(gTxRunningCRC, byte);
    return byte;
  }
  result_t sendBody() {
    uint8_t byte = counted(gpTxBuf[gTxByteCnt]);

    gTxByteCnt++;
    return stuffed(byte, gTxByteCnt < gTxLength ? TX_BODY : TX_CRC_HIGH);
  }
  result_t sendEscaped() {
    result_t went;

#ifdef REPAIRED
    gTxState = gPrevTxState;
    went = call ByteComm.txByte(gTxEscByte ^ TURNED);
#else
    went = call ByteComm.txByte(gTxEscByte ^ TURNED);
    gTxState = gPrevTxState;
#endif
    return went;
  }
  result_t step() {
    switch (gTxState) {
      case TX_KIND:
        return stuffed(counted(gTxProto), TX_BODY);
      case TX_BODY:
        return sendBody();
      case TX_ESCAPED:
        return sendEscaped();
      case TX_CRC_HIGH:
        return stuffed(gTxRunningCRC >> 8, TX_CRC_LOW);
      case TX_CRC_LOW:
        return stuffed(gTxRunningCRC, TX_CLOSE);
      case TX_CLOSE:
        gTxState = TX_DRAIN;
        return call ByteComm.txByte(FLAG);
      default:
        return SUCCESS;
    }
  }
  async event result_t ByteComm.txByteReady(bool success) {
    if (!success || !step()) {
      gTxState = TX_BROKEN;
      post PacketSent();
    }
    return SUCCESS;
  }
  async event result_t ByteComm.txDone() {
    if (gTxState == TX_DRAIN) {
      atomic gTxGone |= fulfilled();
      gTxState = TX_IDLE;
      post PacketSent();
    }
    return SUCCESS;
  }

  /* ---------------------------------------------------------------- receiving */
  /* Waits for the kind of the next frame, or for the next FLAG if there is no entry for it. */
  void freshFrame() {
    gpRxBuf = (uint8_t *)gMsgRcvTbl[gRxHeadIndex].pMsg;
    gRxByteCnt = 0;
    gRxRunningCRC = 0;
    gRxTurn = 0;
    gRxState = gMsgRcvTbl[gRxHeadIndex].Length == 0 ? RX_KIND : RX_HUNT;
  }
  task void PacketRcvd() {
    struct RcvEntry *entry = &gMsgRcvTbl[gRxTailIndex];
    TOS_MsgPtr spare;

    entry->pMsg->crc = 1;
    if (entry->Proto == PROTO_PACKET_ACK)
      spare = signal TokenReceiveMsg.receive(entry->pMsg, entry->Token);
    else
      spare = signal ReceiveMsg.receive(entry->pMsg);
    gRxTailIndex = following(gRxTailIndex);
    atomic {
      if (spare != NULL)
        entry->pMsg = spare;
      entry->Length = 0;
    }
  }
  bool good() {
    return gRxState == RX_BODY && gRxTurn == 0 && gRxRunningCRC == 0 && gRxByteCnt >= HEADER + CRC_BYTES;
  }
  void frameEnds() {
    if (good() && post PacketRcvd()) {
      gMsgRcvTbl[gRxHeadIndex].Length = gRxByteCnt - CRC_BYTES;
      gRxHeadIndex = following(gRxHeadIndex);
    }
    freshFrame();
  }
  void takeKind(uint8_t kind) {
    gMsgRcvTbl[gRxHeadIndex].Proto = kind;
    gRxState = kind == PROTO_PACKET_ACK ? RX_TOKEN : kind == PROTO_PACKET_NOACK ? RX_BODY : RX_HUNT;
    if (gRxState == RX_HUNT) {
      atomic {
        if (wish(WANT_COMPLAINT)) {
          gTxUnknownBuf = kind;
          post PacketUnknown();
        }
      }
    }
  }
  void takeToken(uint8_t token) {
    gMsgRcvTbl[gRxHeadIndex].Token = token;
    gRxState = RX_BODY;
  }
  void takeBody(uint8_t byte) {
    if (gRxByteCnt < sizeof(TOS_Msg))
      gpRxBuf[gRxByteCnt++] = byte;
    else
      gRxState = RX_HUNT;
  }
  async event result_t ByteComm.rxByteReady(uint8_t data, bool error, uint16_t strength) {
    if (data == FLAG) {
      frameEnds();
    } else if (data == ESCAPE) {
      gRxTurn = TURNED;
    } else {
      data ^= gRxTurn;
      gRxTurn = 0;
      gRxRunningCRC = crcByte(gRxRunningCRC, data);
      if (gRxState == RX_BODY)
        takeBody(data);
      else if (gRxState == RX_KIND)
        takeKind(data);
      else if (gRxState == RX_TOKEN)
        takeToken(data);
    }
    return SUCCESS;
  }

  /* ---------------------------------------------------------------- on and off */
  void reset() {
    uint8_t n;

    atomic {
      gTxState = TX_IDLE;
      gFlags = gTxGone = 0;
      gTxProto = gTxLength = gTxByteCnt = gTxRunningCRC = 0;
      gpTxMsg = NULL;
      gRxHeadIndex = gRxTailIndex = 0;
      for (n = 0; n < ENTRIES; n++) {
        gMsgRcvTbl[n].pMsg = &gMsgRcvBuf[n];
        gMsgRcvTbl[n].Length = 0;
      }
      freshFrame();
      gRxState = RX_HUNT;
    }
  }
  command result_t StdControl.init() {
    reset();
    return call ByteControl.init();
  }
  command result_t StdControl.start() {
    reset();
    return call ByteControl.start();
  }
  command result_t StdControl.stop() {
    return call ByteControl.stop();
  }
}
