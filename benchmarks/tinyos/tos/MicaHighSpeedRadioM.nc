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
    IDLE_STATE, SEND_WAITING, HEADER_RX_STATE, RX_STATE, TRANSMITTING, WAITING_FOR_ACK, SENDING_STRENGTH_PULSE, TRANSMITTING_START,
    RX_DONE_STATE, ACK_SEND_STATE
  };
  enum { ACK_CNT = 4, ENCODE_PACKET_LENGTH_DEFAULT = MSG_DATA_SIZE * 3, START_LENGTH = 12 };
  static const char start[12] = {0xf0, 0xf0, 0xf0, 0xff, 0x00, 0xff, 0x0f, 0x00, 0xff, 0x0f, 0x0f, 0x0f};

  norace TOS_Msg buffer;
  norace TOS_MsgPtr rec_ptr;
  norace TOS_MsgPtr send_ptr;
  norace uint8_t rec_count;
  norace uint8_t state;
  norace uint8_t tx_count;
  norace uint8_t send_state_buf;
  norace uint8_t ack_count;
  norace uint16_t calc_crc;
  norace uint8_t msg_length;
  norace uint8_t buf_head;
  norace uint8_t buf_end;
  norace char encoded_buffer[4];
  norace char enc_count;

  task void packetReceived() {
    TOS_MsgPtr tmp;
    tmp = signal Receive.receive((TOS_MsgPtr)rec_ptr);
    if (tmp != 0)
      rec_ptr = tmp;
    call ChannelMon.startSymbolSearch();
  }
  task void packetSent() {
    TOS_MsgPtr ptr;
    atomic {
      ptr = send_ptr;
      state = IDLE_STATE;
    }
    ptr->time = 0;
    call ChannelMon.startSymbolSearch();
    signal Send.sendDone(ptr, SUCCESS);
  }
  command result_t Control.init() {
    rec_ptr = &buffer;
    atomic state = IDLE_STATE;
    memset(encoded_buffer, 0, sizeof(encoded_buffer));
    return rcombine(call ChannelMon.init(), call Random.init());
  }
  command result_t Control.start() {
    return call SpiByteFifo.initSlave();
  }
  command result_t Control.stop() {
    return SUCCESS;
  }
  command result_t Send.send(TOS_MsgPtr msg) {
    result_t ok = FAIL;
    atomic {
      if (state == IDLE_STATE) {
        send_ptr = msg;
        state = SEND_WAITING;
        tx_count = 1;
        ok = SUCCESS;
      }
    }
    if (ok) {
      uint8_t i;
      uint8_t *bytes = (uint8_t *)msg;
      uint16_t crc = 0;
      msg_length = msg->length + MSG_DATA_SIZE - DATA_LENGTH - 2;
      for (i = 0; i < msg_length; i++)
        crc = crcByte(crc, bytes[i]);
      msg->crc = crc;
      ok = call ChannelMon.macDelay();
    }
    return ok;
  }
  async event result_t ChannelMon.startSymDetect() {
    uint16_t tmp;
    atomic {
      ack_count = 0;
      rec_count = 0;
      state = HEADER_RX_STATE;
    }
    tmp = call RadioTiming.getTiming();
    call SpiByteFifo.startReadBytes(tmp);
    atomic msg_length = MSG_DATA_SIZE - 2;
    calc_crc = 0;
    rec_ptr->time = tmp;
    rec_ptr->strength = 0;
    return SUCCESS;
  }
  async event result_t ChannelMon.idleDetect() {
    uint8_t firstByte;
    bool go = FALSE;
    atomic {
      if (state == SEND_WAITING) {
        buf_end = buf_head = 0;
        enc_count = 0;
        state = TRANSMITTING_START;
        firstByte = start[0];
        go = TRUE;
      }
    }
    if (go) {
      call Code.encode(((uint8_t *)send_ptr)[0]);
      call ChannelMon.stopMonitorChannel();
      call SpiByteFifo.txMode();
      call SpiByteFifo.send(firstByte);
      tx_count = 1;
      calc_crc = 0;
    }
    return SUCCESS;
  }
  async event result_t Code.decodeDone(char data, char error) {
    bool rval = SUCCESS;
    if (state == IDLE_STATE) {
      rval = FAIL;
    } else if (state == HEADER_RX_STATE || state == RX_STATE) {
      ((char *)rec_ptr)[(int)rec_count] = data;
      rec_count++;
      if (rec_count >= MSG_DATA_SIZE) {
        if (calc_crc == rec_ptr->crc)
          rec_ptr->crc = 1;
        else
          rec_ptr->crc = 0;
        state = ACK_SEND_STATE;
        ack_count = 0;
        rval = FAIL;
      } else if (rec_count <= MSG_DATA_SIZE - 2) {
        calc_crc = crcByte(calc_crc, data);
        if (rec_count == offsetof(TOS_Msg, data)) {
          msg_length = rec_ptr->length;
          if (msg_length > DATA_LENGTH)
            msg_length = DATA_LENGTH;
          msg_length += offsetof(TOS_Msg, data);
          state = RX_STATE;
        }
        if (rec_count == msg_length)
          rec_count = offsetof(TOS_Msg, crc);
      }
    }
    return rval;
  }
  async event result_t Code.encodeDone(char data1) {
    encoded_buffer[(int)buf_end] = data1;
    buf_end++;
    buf_end &= 0x3;
    enc_count += 1;
    return SUCCESS;
  }
  async event result_t SpiByteFifo.dataReady(uint8_t data) {
    if (state == TRANSMITTING_START) {
      call SpiByteFifo.send(start[tx_count]);
      tx_count++;
      if (tx_count == sizeof(start)) {
        state = TRANSMITTING;
        tx_count = 1;
      }
    } else if (state == TRANSMITTING) {
      call SpiByteFifo.send(encoded_buffer[(int)buf_head]);
      buf_head++;
      buf_head &= 0x3;
      enc_count--;
      if (enc_count >= 2) {
        ;
      } else if (tx_count < MSG_DATA_SIZE) {
        char next = ((char *)send_ptr)[(int)tx_count];
        tx_count++;
        if (tx_count == msg_length)
          tx_count = offsetof(TOS_Msg, crc);
        call Code.encode(next);
      } else if (buf_head != buf_end) {
        call Code.encode_flush();
      } else {
        state = SENDING_STRENGTH_PULSE;
        tx_count = 0;
      }
    } else if (state == SENDING_STRENGTH_PULSE) {
      tx_count++;
      if (tx_count == 3) {
        state = WAITING_FOR_ACK;
        call SpiByteFifo.rxMode();
        tx_count = 1;
      } else {
        call SpiByteFifo.send(0xff);
      }
    } else if (state == WAITING_FOR_ACK) {
      call SpiByteFifo.send(0);
      if (tx_count == 1)
        call SpiByteFifo.rxMode();
      tx_count++;
      if (tx_count == ACK_CNT + 2) {
        send_ptr->ack = (data == 0x55);
        state = RX_DONE_STATE;
        call SpiByteFifo.idle();
        post packetSent();
      }
    } else if (state == HEADER_RX_STATE || state == RX_STATE) {
      call Code.decode(data);
      if (state == RX_STATE || state == HEADER_RX_STATE)
        rec_ptr->strength = data;
    } else if (state == ACK_SEND_STATE) {
      ack_count++;
      if (ack_count > ACK_CNT + 1) {
        state = IDLE_STATE;
        call SpiByteFifo.idle();
        post packetReceived();
      } else {
        call SpiByteFifo.txMode();
      }
    }
    return SUCCESS;
  }
}
