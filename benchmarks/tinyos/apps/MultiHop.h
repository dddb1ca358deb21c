#ifndef MULTIHOP_H
#define MULTIHOP_H
enum { AM_MULTIHOPMSG = 250, AM_SURGEMSG = 17, AM_SURGECMDMSG = 18, INITIAL_TIMER_RATE = 2048, FOCUS_TIMER_RATE = 1000 };
typedef struct MultihopMsg {
  uint16_t sourceaddr;
  uint16_t originaddr;
  int16_t seqno;
  uint8_t hopcount;
  uint8_t data[0];
} __attribute__((packed)) TOS_MHopMsg;
typedef struct RPEstEntry {
  uint16_t id;
  uint8_t receiveEst;
} __attribute__((packed)) RPEstEntry;
typedef struct RoutePacket {
  uint16_t parent;
  uint16_t cost;
  uint8_t estEntries;
  RPEstEntry estList[1];
} __attribute__((packed)) RoutePacket;
typedef struct SurgeMsg {
  uint16_t type;
  uint16_t reading;
  uint16_t parentaddr;
  uint32_t seq_no;
} __attribute__((packed)) SurgeMsg;
typedef struct SurgeCmdMsg {
  uint8_t type;
  union {
    uint32_t newrate;
    uint16_t focusaddr;
  } args;
} __attribute__((packed)) SurgeCmdMsg;
#endif
