// secureTosBase with the write of gTxState moved in front of the call that passes the token on.
// CIRC: --platform atmega103
//
// EXPECT: safe FramerM$gTxState
// EXPECT: safe FramerM$gPrevTxState
// EXPECT: safe FramerM$gTxByteCnt
// EXPECT: safe FramerM$gTxRunningCRC
// EXPECT: safe FramerM$gTxProto
// EXPECT: safe FramerM$gTxEscByte
// EXPECT: safe FramerM$gRxHeadIndex
// EXPECT: safe FramerM$gRxTailIndex
//
// FramerM is a byte-by-byte transmitter. StartTx (called from tasks only) claims the idle state in an atomic section.
// UARTM$busy is a token: txByte sets it in an atomic section and fails if it was set; the transmit-done handler takes it
// back in an atomic section, and only if it was set runs txByteReady, which goes through the nine states outside atomic
// and passes the token on with txByte.
// Every plain access to gTxState is now made by the handler that holds the token, or never reached: the write of
// TXSTATE_ERROR after a failed txByte, because the token was free.
// gRxHeadIndex: the receive handler uses it in every state but FULL, the task PacketRcvd advances it only if it saw FULL,
// which only that task leaves. gRxTailIndex: initialisation and one task only.
// These are the verdicts of nested preemption (the default): no task runs while a handler is suspended. With
// --preemption free the transmitter's variables race: FINISH sets the state to idle, a task claims it and starts a
// frame, whose handler runs txByteReady while the first handler has yet to look at the state and reset the counters.
#if (defined(__x86_64__) || defined(__i386__)) && !defined(__CIRC__)
#define interrupt __unused__ /* x86 compilers give the attribute another meaning */
#endif

# 60 "/usr/local/avr/include/inttypes.h"
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef int int16_t;
typedef unsigned int uint16_t;
typedef unsigned long uint32_t;

# 62 "tos/system/tos.h"
typedef unsigned char bool;
enum __nesc_unnamed4240 {
  FALSE = 0,
  TRUE = 1
};
typedef uint8_t result_t;
enum __nesc_unnamed4241 {
  FAIL = 0,
  SUCCESS = 1
};

# 70 "tos/platform/avrmote/avrhardware.h"
typedef uint8_t __nesc_atomic_t;

__inline __nesc_atomic_t __nesc_atomic_start(void )
{
  __nesc_atomic_t result = *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x3F + 0x20);

  __asm volatile ("cli" ::);
  return result;
}

__inline void __nesc_atomic_end(__nesc_atomic_t oldSreg)
{
  *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x3F + 0x20) = oldSreg;
}

static __inline void __nesc_enable_interrupt(void )
{
  __asm volatile ("sei" ::);
}

# 38 "tos/system/sched.c"
enum __nesc_unnamed4242 {
  TOSH_MAX_TASKS = 8,
  TOSH_TASK_BITMASK = TOSH_MAX_TASKS - 1
};

typedef struct __nesc_unnamed4243 {
  void (*tp)(void );
} TOSH_sched_entry_T;

static TOSH_sched_entry_T TOSH_queue[TOSH_MAX_TASKS];
static uint8_t TOSH_sched_full;
static uint8_t TOSH_sched_free;

static void TOSH_sched_init(void )
{
  TOSH_sched_free = 0;
  TOSH_sched_full = 0;
}

# 79
static bool TOS_post(void (*tp)(void ))
{
  __nesc_atomic_t fInterruptFlags;
  uint8_t tmp;

  fInterruptFlags = __nesc_atomic_start();
  tmp = TOSH_sched_free;
  if (TOSH_queue[tmp].tp == (void (*)(void ))0) {
    TOSH_sched_free = (tmp + 1) & TOSH_TASK_BITMASK;
    TOSH_queue[tmp].tp = tp;
    __nesc_atomic_end(fInterruptFlags);
    return TRUE;
  }
  __nesc_atomic_end(fInterruptFlags);
  return FALSE;
}

# 106
static bool TOSH_run_next_task(void )
{
  __nesc_atomic_t fInterruptFlags;
  uint8_t old_full;
  void (*func)(void );

  fInterruptFlags = __nesc_atomic_start();
  old_full = TOSH_sched_full;
  func = TOSH_queue[old_full].tp;
  if (func == (void (*)(void ))0) {
    __nesc_atomic_end(fInterruptFlags);
    return FALSE;
  }
  TOSH_queue[old_full].tp = 0;
  TOSH_sched_full = (old_full + 1) & TOSH_TASK_BITMASK;
  __nesc_atomic_end(fInterruptFlags);
  func();
  return TRUE;
}

static void TOSH_run_task(void )
{
  while (TOSH_run_next_task()) {
  }
  __asm volatile ("sleep" ::);
}

# 30 "tos/lib/Framer/FramerM.nc"
enum FramerM$__nesc_unnamed4250 {
  FramerM$HDLC_QUEUESIZE = 2,
  FramerM$HDLC_MTU = 36,
  FramerM$HDLC_FLAG_BYTE = 0x7e,
  FramerM$HDLC_CTLESC_BYTE = 0x7d,
  FramerM$PROTO_ACK = 64,
  FramerM$PROTO_PACKET_ACK = 65,
  FramerM$PROTO_PACKET_NOACK = 66,
  FramerM$PROTO_UNKNOWN = 255
};

enum FramerM$__nesc_unnamed4251 {
  FramerM$TXSTATE_IDLE,
  FramerM$TXSTATE_PROTO,
  FramerM$TXSTATE_INFO,
  FramerM$TXSTATE_ESC,
  FramerM$TXSTATE_FCS1,
  FramerM$TXSTATE_FCS2,
  FramerM$TXSTATE_ENDFLAG,
  FramerM$TXSTATE_FINISH,
  FramerM$TXSTATE_ERROR
};

static uint8_t FramerM$gTxState;
static uint8_t FramerM$gPrevTxState;
static uint8_t FramerM$gTxProto;
static uint8_t FramerM$gTxEscByte;
static uint16_t FramerM$gTxByteCnt;
static uint16_t FramerM$gTxLength;
static uint16_t FramerM$gTxRunningCRC;
static uint8_t FramerM$gTxBuf[FramerM$HDLC_MTU];
static uint8_t FramerM$gSendErrors;

# 40 "tos/system/crc.h"
static inline uint16_t crcByte(uint16_t crc, uint8_t b)
{
  uint8_t i;

  crc = crc ^ (b << 8);
  i = 8;
  do
    if (crc & 0x8000) {
      crc = (crc << 1) ^ 0x1021;
    }
    else {
      crc = crc << 1;
    }
  while (--i);
  return crc;
}

# 35 "tos/platform/avrmote/HPLUARTM.nc"
static bool UARTM$busy;

static inline result_t HPLUART$put(uint8_t data)
{
  *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x0C + 0x20) = data;
  return SUCCESS;
}

# 96 "tos/system/UARTM.nc"
static result_t UARTM$ByteComm$txByte(uint8_t data)
{
  bool oldState;

  {
    __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();

    {
      oldState = UARTM$busy;
      UARTM$busy = TRUE;
    }
    __nesc_atomic_end(__nesc_atomic);
  }
  if (oldState) {
    return FAIL;
  }
  HPLUART$put(data);
  return SUCCESS;
}

# 188 "tos/lib/Framer/FramerM.nc"
static void FramerM$PacketSent(void );

static inline result_t FramerM$StartTx(uint8_t proto, uint16_t length)
{
  result_t Result = SUCCESS;
  bool fInitiate = FALSE;

  {
    __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();

    {
      if (FramerM$gTxState == FramerM$TXSTATE_IDLE) {
        FramerM$gTxProto = proto;
        FramerM$gTxLength = length;
        FramerM$gTxBuf[0] = *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x0F + 0x20);
        FramerM$gTxBuf[1] = *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x0F + 0x20);
        FramerM$gTxByteCnt = 0;
        FramerM$gTxRunningCRC = 0;
        FramerM$gTxState = FramerM$TXSTATE_PROTO;
        fInitiate = TRUE;
      }
    }
    __nesc_atomic_end(__nesc_atomic);
  }
  if (fInitiate) {
    Result = UARTM$ByteComm$txByte(FramerM$HDLC_FLAG_BYTE);
    if (Result == FAIL) {
      {
        __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();

        FramerM$gTxState = FramerM$TXSTATE_IDLE;
        __nesc_atomic_end(__nesc_atomic);
      }
    }
  }
  else {
    Result = FAIL;
  }
  return Result;
}

# 247
static result_t FramerM$TxArbitraryByte(uint8_t inByte)
{
  if (inByte == FramerM$HDLC_FLAG_BYTE || inByte == FramerM$HDLC_CTLESC_BYTE) {
    FramerM$gPrevTxState = FramerM$gTxState;
    FramerM$gTxState = FramerM$TXSTATE_ESC;
    FramerM$gTxEscByte = inByte;
    inByte = FramerM$HDLC_CTLESC_BYTE;
  }
  return UARTM$ByteComm$txByte(inByte);
}

# 262
static inline void FramerM$TxDone(bool fSuccess)
{
  if (!fSuccess) {
    FramerM$gSendErrors++;
  }
  FramerM$gTxState = FramerM$TXSTATE_IDLE;
  TOS_post(FramerM$PacketSent);
}

# 390
static inline result_t FramerM$ByteComm$txByteReady(bool LastByteSuccess)
{
  result_t TxResult = SUCCESS;
  uint8_t nextByte;

  if (LastByteSuccess != TRUE) {
    FramerM$gTxState = FramerM$TXSTATE_ERROR;
  }
  switch (FramerM$gTxState) {
    case FramerM$TXSTATE_PROTO:
      FramerM$gTxState = FramerM$TXSTATE_INFO;
      FramerM$gTxRunningCRC = crcByte(FramerM$gTxRunningCRC, FramerM$gTxProto);
      TxResult = FramerM$TxArbitraryByte(FramerM$gTxProto);
      break;

    case FramerM$TXSTATE_INFO:
      nextByte = FramerM$gTxBuf[FramerM$gTxByteCnt % FramerM$HDLC_MTU];
      FramerM$gTxRunningCRC = crcByte(FramerM$gTxRunningCRC, nextByte);
      FramerM$gTxByteCnt++;
      if (FramerM$gTxByteCnt >= FramerM$gTxLength) {
        FramerM$gTxState = FramerM$TXSTATE_FCS1;
      }
      TxResult = FramerM$TxArbitraryByte(nextByte);
      break;

    case FramerM$TXSTATE_ESC:
      FramerM$gTxState = FramerM$gPrevTxState;
      TxResult = UARTM$ByteComm$txByte(FramerM$gTxEscByte ^ 0x20);
      break;

    case FramerM$TXSTATE_FCS1:
      nextByte = (uint8_t )(FramerM$gTxRunningCRC & 0xff);
      FramerM$gTxState = FramerM$TXSTATE_FCS2;
      TxResult = FramerM$TxArbitraryByte(nextByte);
      break;

    case FramerM$TXSTATE_FCS2:
      nextByte = (uint8_t )((FramerM$gTxRunningCRC >> 8) & 0xff);
      FramerM$gTxState = FramerM$TXSTATE_ENDFLAG;
      TxResult = FramerM$TxArbitraryByte(nextByte);
      break;

    case FramerM$TXSTATE_ENDFLAG:
      FramerM$gTxState = FramerM$TXSTATE_FINISH;
      TxResult = UARTM$ByteComm$txByte(FramerM$HDLC_FLAG_BYTE);
      break;

    case FramerM$TXSTATE_FINISH:
      case FramerM$TXSTATE_ERROR:
        FramerM$TxDone(FramerM$gTxState == FramerM$TXSTATE_FINISH);
      if (FramerM$gTxState == FramerM$TXSTATE_IDLE) {
        FramerM$gTxByteCnt = 0;
        FramerM$gTxRunningCRC = 0;
      }
      break;

    default:
      break;
  }
  if (TxResult != SUCCESS) {
    FramerM$gTxState = FramerM$TXSTATE_ERROR;
  }
  return SUCCESS;
}

# 71 "tos/platform/avrmote/HPLUARTM.nc"
void __attribute((interrupt)) __vector_20(void )
{
  bool oldState;

  {
    __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();

    {
      oldState = UARTM$busy;
      UARTM$busy = FALSE;
    }
    __nesc_atomic_end(__nesc_atomic);
  }
  if (oldState) {
    FramerM$ByteComm$txByteReady(TRUE);
  }
}

# 58 "tos/lib/Framer/FramerM.nc"
enum FramerM$__nesc_unnamed4252 {
  FramerM$RXSTATE_NOSYNC,
  FramerM$RXSTATE_PROTO,
  FramerM$RXSTATE_TOKEN,
  FramerM$RXSTATE_INFO,
  FramerM$RXSTATE_ESC,
  FramerM$RXSTATE_FULL
};

typedef struct FramerM$_MsgRcvEntry {
  uint8_t Proto;
  uint8_t Token;
  uint16_t Length;
  uint8_t Data[FramerM$HDLC_MTU];
} __attribute((packed)) FramerM$MsgRcvEntry_t;

static FramerM$MsgRcvEntry_t FramerM$gMsgRcvTbl[FramerM$HDLC_QUEUESIZE];
static uint8_t FramerM$gRxState;
static uint8_t FramerM$gRxHeadIndex;
static uint8_t FramerM$gRxTailIndex;
static uint16_t FramerM$gRxByteCnt;
static uint16_t FramerM$gRxRunningCRC;
static uint16_t FramerM$gPacketsSeen;

# 116
static void FramerM$PacketRcvd(void )
{
  FramerM$MsgRcvEntry_t *pRcv = & FramerM$gMsgRcvTbl[FramerM$gRxTailIndex];
  bool fResume = FALSE;
  bool fAcknowledge = FALSE;

  if (pRcv->Length >= 2) {
    switch (pRcv->Proto) {
      case FramerM$PROTO_PACKET_ACK:
        fAcknowledge = TRUE;
      /* fall through */
      case FramerM$PROTO_PACKET_NOACK:
        FramerM$gPacketsSeen++;
      break;
      default:
        break;
    }
  }
  {
    __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();

    {
      pRcv->Length = 0;
      if (FramerM$gRxState == FramerM$RXSTATE_FULL) {
        fResume = TRUE;
      }
    }
    __nesc_atomic_end(__nesc_atomic);
  }
  FramerM$gRxTailIndex++;
  FramerM$gRxTailIndex %= FramerM$HDLC_QUEUESIZE;
  if (fResume) {
    FramerM$gRxHeadIndex = (FramerM$gRxHeadIndex + 1) % FramerM$HDLC_QUEUESIZE;
    {
      __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();

      FramerM$gRxState = FramerM$RXSTATE_NOSYNC;
      __nesc_atomic_end(__nesc_atomic);
    }
  }
  if (fAcknowledge) {
    FramerM$StartTx(FramerM$PROTO_ACK, 1);
  }
}

# 296
static inline result_t FramerM$ByteComm$rxByteReady(uint8_t data, bool error)
{
  uint8_t next;

  switch (FramerM$gRxState) {
    case FramerM$RXSTATE_NOSYNC:
      if (data == FramerM$HDLC_FLAG_BYTE && FramerM$gMsgRcvTbl[FramerM$gRxHeadIndex].Length == 0) {
        FramerM$gMsgRcvTbl[FramerM$gRxHeadIndex].Token = 0;
        FramerM$gRxByteCnt = FramerM$gRxRunningCRC = 0;
        FramerM$gRxState = FramerM$RXSTATE_PROTO;
      }
      break;

    case FramerM$RXSTATE_PROTO:
      if (data == FramerM$HDLC_FLAG_BYTE) {
        break;
      }
      FramerM$gMsgRcvTbl[FramerM$gRxHeadIndex].Proto = data;
      FramerM$gRxRunningCRC = crcByte(FramerM$gRxRunningCRC, data);
      switch (data) {
        case FramerM$PROTO_PACKET_ACK:
          FramerM$gRxState = FramerM$RXSTATE_TOKEN;
          break;
        case FramerM$PROTO_PACKET_NOACK:
          FramerM$gRxState = FramerM$RXSTATE_INFO;
          break;
        default:
          FramerM$gRxState = FramerM$RXSTATE_NOSYNC;
          break;
      }
      break;

    case FramerM$RXSTATE_TOKEN:
      if (data == FramerM$HDLC_FLAG_BYTE) {
        FramerM$gRxState = FramerM$RXSTATE_NOSYNC;
      }
      else {
        FramerM$gMsgRcvTbl[FramerM$gRxHeadIndex].Token = data;
        FramerM$gRxRunningCRC = crcByte(FramerM$gRxRunningCRC, data);
        FramerM$gRxState = FramerM$RXSTATE_INFO;
      }
      break;

    case FramerM$RXSTATE_INFO:
      if (FramerM$gRxByteCnt >= FramerM$HDLC_MTU || error) {
        FramerM$gMsgRcvTbl[FramerM$gRxHeadIndex].Length = 0;
        FramerM$gRxState = FramerM$RXSTATE_NOSYNC;
      }
      else if (data == FramerM$HDLC_CTLESC_BYTE) {
        FramerM$gRxState = FramerM$RXSTATE_ESC;
      }
      else if (data == FramerM$HDLC_FLAG_BYTE) {
        if (FramerM$gRxByteCnt >= 2 && FramerM$gRxRunningCRC == 0) {
          FramerM$gMsgRcvTbl[FramerM$gRxHeadIndex].Length = FramerM$gRxByteCnt;
          TOS_post(FramerM$PacketRcvd);
          next = (FramerM$gRxHeadIndex + 1) % FramerM$HDLC_QUEUESIZE;
          if (FramerM$gMsgRcvTbl[next].Length == 0) {
            FramerM$gRxHeadIndex = next;
            FramerM$gRxState = FramerM$RXSTATE_NOSYNC;
          }
          else {
            FramerM$gRxState = FramerM$RXSTATE_FULL;
          }
        }
        else {
          FramerM$gRxState = FramerM$RXSTATE_NOSYNC;
        }
      }
      else {
        FramerM$gMsgRcvTbl[FramerM$gRxHeadIndex].Data[FramerM$gRxByteCnt] = data;
        FramerM$gRxRunningCRC = crcByte(FramerM$gRxRunningCRC, data);
        FramerM$gRxByteCnt++;
      }
      break;

    case FramerM$RXSTATE_ESC:
      if (data == FramerM$HDLC_FLAG_BYTE || FramerM$gRxByteCnt >= FramerM$HDLC_MTU) {
        FramerM$gRxState = FramerM$RXSTATE_NOSYNC;
      }
      else {
        data = data ^ 0x20;
        FramerM$gMsgRcvTbl[FramerM$gRxHeadIndex].Data[FramerM$gRxByteCnt] = data;
        FramerM$gRxRunningCRC = crcByte(FramerM$gRxRunningCRC, data);
        FramerM$gRxByteCnt++;
        FramerM$gRxState = FramerM$RXSTATE_INFO;
      }
      break;

    case FramerM$RXSTATE_FULL:
      /* the task that frees an entry moves the head on */
      break;

    default:
      FramerM$gRxState = FramerM$RXSTATE_NOSYNC;
      break;
  }
  return SUCCESS;
}

# 62 "tos/platform/avrmote/HPLUARTM.nc"
void __attribute((signal)) __vector_18(void )
{
  /* atomic removed: atomic calls only */
  uint8_t data = *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x0C + 0x20);

  if ((*(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x0B + 0x20)) & (1 << 7)) {
    FramerM$ByteComm$rxByteReady(data, FALSE);
  }
}

# 160 "tos/lib/Framer/FramerM.nc"
static void FramerM$PacketSent(void )
{
  FramerM$gPacketsSeen++;
}

static void FramerM$PacketUnknown(void )
{
  FramerM$StartTx(FramerM$PROTO_UNKNOWN, 1);
}

# 88 "apps/SecureTOSBase/TOSBaseM.nc"
static uint8_t TOSBaseM$pending;

static void TOSBaseM$RadioRcvdTask(void )
{
  uint8_t i;

  if (FramerM$gTxProto != FramerM$PROTO_UNKNOWN) {
    for (i = 0; i < 4; i++) {
      TOSBaseM$pending += i;
    }
  }
  if (FramerM$StartTx(FramerM$PROTO_PACKET_NOACK, 20) == FAIL) {
    TOS_post(TOSBaseM$RadioRcvdTask);
  }
}

# 30 "tos/platform/avrmote/HPLClock.nc"
void __attribute((interrupt)) __vector_15(void )
{
  TOS_post(TOSBaseM$RadioRcvdTask);
}

# 210 "tos/lib/Framer/FramerM.nc"
static inline result_t FramerM$StdControl$init(void )
{
  uint8_t i;

  FramerM$gTxState = FramerM$TXSTATE_IDLE;
  FramerM$gTxByteCnt = 0;
  FramerM$gTxLength = 0;
  FramerM$gTxRunningCRC = 0;
  FramerM$gTxProto = FramerM$PROTO_UNKNOWN;
  FramerM$gRxState = FramerM$RXSTATE_NOSYNC;
  FramerM$gRxHeadIndex = 0;
  FramerM$gRxTailIndex = 0;
  for (i = 0; i < FramerM$HDLC_QUEUESIZE; i++) {
    FramerM$gMsgRcvTbl[i].Length = 0;
    FramerM$gMsgRcvTbl[i].Token = 0;
  }
  return SUCCESS;
}

static inline result_t HPLUARTM$UART$init(void )
{
  *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x09 + 0x20) = 12;
  *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x0A + 0x20) = 0xd8;
  return SUCCESS;
}

static inline result_t HPLClock$Clock$setRate(uint8_t interval)
{
  *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x31 + 0x20) = interval;
  *(volatile uint8_t *)(unsigned int )& * (volatile unsigned char *)(0x37 + 0x20) |= 1 << 1;
  return SUCCESS;
}

# 54 "tos/system/RealMain.nc"
int main(void )
{
  TOSH_sched_init();
  FramerM$StdControl$init();
  HPLUARTM$UART$init();
  HPLClock$Clock$setRate(32);
  TOS_post(FramerM$PacketUnknown);
  __nesc_enable_interrupt();
  while (1) {
      TOSH_run_task();
    }
}
