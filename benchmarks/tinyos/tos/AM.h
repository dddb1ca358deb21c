#ifndef AM_H
#define AM_H
enum {
  TOS_BCAST_ADDR = 0xffff, TOS_UART_ADDR = 0x007e, TOS_AM_GROUP = 0x7d, TOSH_DATA_LENGTH = 29, TINYSEC_MAC_LENGTH = 4
};
typedef struct TOS_Msg {
  uint16_t addr;
  uint8_t type;
  uint8_t group;
  uint8_t length;
  int8_t data[TOSH_DATA_LENGTH];
  uint16_t crc;
  uint16_t strength;
  uint8_t ack;
  uint16_t time;
} __attribute__((packed)) TOS_Msg;
typedef TOS_Msg *TOS_MsgPtr;
enum {
  MSG_DATA_SIZE = offsetof(TOS_Msg, strength),
  DATA_LENGTH = TOSH_DATA_LENGTH
};
#endif
