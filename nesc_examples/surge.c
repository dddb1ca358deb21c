// surge: a sensor node's radio and serial framer, with the framer's late write moved in front of the call.
// CIRC: --platform atmega103
//
// EXPECT: safe MicaHighSpeedRadioM__rec_ptr
// EXPECT: safe FramerM__gTxByteCnt
// EXPECT: safe FramerM__gTxRunningCRC
// EXPECT: safe FramerM__gTxState
//
// rec_ptr is handed back and forth in a split phase: the SPI handler fires only while bit 7 of register 0x0D is set; with the
// last byte it clears the bit, posts packetReceived, and writes rec_ptr. The task uses and writes rec_ptr and sets the bit
// again as its last act. While the bit is clear the handler cannot fire; while it is set the task is not running.
//
// FramerM is a byte-by-byte transmitter. StartTx (called from tasks only) claims the idle state in an atomic section.
// UARTM__busy is a token: txByte sets it in an atomic section and fails if it was set; the transmit-done handler takes it
// back in an atomic section, and only if it was set runs txByteReady, which goes through the nine states outside atomic
// and passes the token on with txByte.
// These are the verdicts of nested preemption (the default): no task runs while a handler is suspended. With
// --preemption free the transmitter's variables and rec_ptr race: FINISH sets the state to idle, a task claims it and starts a
// frame, whose handler runs txByteReady while the first handler has yet to look at the state and reset the counters.
// For rec_ptr the posted task would run between the handler's post and its write.
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
enum FramerM____nesc_unnamed4250 {
  FramerM__HDLC_QUEUESIZE = 2,
  FramerM__HDLC_MTU = 36,
  FramerM__HDLC_FLAG_BYTE = 0x7e,
  FramerM__HDLC_CTLESC_BYTE = 0x7d,
  FramerM__PROTO_ACK = 64,
  FramerM__PROTO_PACKET_ACK = 65,
  FramerM__PROTO_PACKET_NOACK = 66,
  FramerM__PROTO_UNKNOWN = 255
};

enum FramerM____nesc_unnamed4251 {
  FramerM__TXSTATE_IDLE,
  FramerM__TXSTATE_PROTO,
  FramerM__TXSTATE_INFO,
  FramerM__TXSTATE_ESC,
  FramerM__TXSTATE_FCS1,
  FramerM__TXSTATE_FCS2,
  FramerM__TXSTATE_ENDFLAG,
  FramerM__TXSTATE_FINISH,
  FramerM__TXSTATE_ERROR
};

static uint8_t FramerM__gTxState;
static uint8_t FramerM__gPrevTxState;
static uint8_t FramerM__gTxProto;
static uint8_t FramerM__gTxEscByte;
static uint16_t FramerM__gTxByteCnt;
static uint16_t FramerM__gTxLength;
static uint16_t FramerM__gTxRunningCRC;
static uint8_t FramerM__gTxBuf[FramerM__HDLC_MTU];
static uint8_t FramerM__gSendErrors;

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
static bool UARTM__busy;

static inline result_t HPLUART__put(uint8_t data)
{
  *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x0C + 0x20) = data;
  return SUCCESS;
}

# 96 "tos/system/UARTM.nc"
static result_t UARTM__ByteComm__txByte(uint8_t data)
{
  bool oldState;

  {
    __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();

    {
      oldState = UARTM__busy;
      UARTM__busy = TRUE;
    }
    __nesc_atomic_end(__nesc_atomic);
  }
  if (oldState) {
    return FAIL;
  }
  HPLUART__put(data);
  return SUCCESS;
}

# 188 "tos/lib/Framer/FramerM.nc"
static void FramerM__PacketSent(void );

static inline result_t FramerM__StartTx(uint8_t proto, uint16_t length)
{
  result_t Result = SUCCESS;
  bool fInitiate = FALSE;

  {
    __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();

    {
      if (FramerM__gTxState == FramerM__TXSTATE_IDLE) {
        FramerM__gTxProto = proto;
        FramerM__gTxLength = length;
        FramerM__gTxBuf[0] = *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x0F + 0x20);
        FramerM__gTxBuf[1] = *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x0F + 0x20);
        FramerM__gTxByteCnt = 0;
        FramerM__gTxRunningCRC = 0;
        FramerM__gTxState = FramerM__TXSTATE_PROTO;
        fInitiate = TRUE;
      }
    }
    __nesc_atomic_end(__nesc_atomic);
  }
  if (fInitiate) {
    Result = UARTM__ByteComm__txByte(FramerM__HDLC_FLAG_BYTE);
    if (Result == FAIL) {
      {
        __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();

        FramerM__gTxState = FramerM__TXSTATE_IDLE;
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
static result_t FramerM__TxArbitraryByte(uint8_t inByte)
{
  if (inByte == FramerM__HDLC_FLAG_BYTE || inByte == FramerM__HDLC_CTLESC_BYTE) {
    FramerM__gPrevTxState = FramerM__gTxState;
    FramerM__gTxState = FramerM__TXSTATE_ESC;
    FramerM__gTxEscByte = inByte;
    inByte = FramerM__HDLC_CTLESC_BYTE;
  }
  return UARTM__ByteComm__txByte(inByte);
}

# 262
static inline void FramerM__TxDone(bool fSuccess)
{
  if (!fSuccess) {
    FramerM__gSendErrors++;
  }
  FramerM__gTxState = FramerM__TXSTATE_IDLE;
  TOS_post(FramerM__PacketSent);
}

# 390
static inline result_t FramerM__ByteComm__txByteReady(bool LastByteSuccess)
{
  result_t TxResult = SUCCESS;
  uint8_t nextByte;

  if (LastByteSuccess != TRUE) {
    FramerM__gTxState = FramerM__TXSTATE_ERROR;
  }
  switch (FramerM__gTxState) {
    case FramerM__TXSTATE_PROTO:
      FramerM__gTxState = FramerM__TXSTATE_INFO;
      FramerM__gTxRunningCRC = crcByte(FramerM__gTxRunningCRC, FramerM__gTxProto);
      TxResult = FramerM__TxArbitraryByte(FramerM__gTxProto);
      break;

    case FramerM__TXSTATE_INFO:
      nextByte = FramerM__gTxBuf[FramerM__gTxByteCnt % FramerM__HDLC_MTU];
      FramerM__gTxRunningCRC = crcByte(FramerM__gTxRunningCRC, nextByte);
      FramerM__gTxByteCnt++;
      if (FramerM__gTxByteCnt >= FramerM__gTxLength) {
        FramerM__gTxState = FramerM__TXSTATE_FCS1;
      }
      TxResult = FramerM__TxArbitraryByte(nextByte);
      break;

    case FramerM__TXSTATE_ESC:
      FramerM__gTxState = FramerM__gPrevTxState;
      TxResult = UARTM__ByteComm__txByte(FramerM__gTxEscByte ^ 0x20);
      break;

    case FramerM__TXSTATE_FCS1:
      nextByte = (uint8_t )(FramerM__gTxRunningCRC & 0xff);
      FramerM__gTxState = FramerM__TXSTATE_FCS2;
      TxResult = FramerM__TxArbitraryByte(nextByte);
      break;

    case FramerM__TXSTATE_FCS2:
      nextByte = (uint8_t )((FramerM__gTxRunningCRC >> 8) & 0xff);
      FramerM__gTxState = FramerM__TXSTATE_ENDFLAG;
      TxResult = FramerM__TxArbitraryByte(nextByte);
      break;

    case FramerM__TXSTATE_ENDFLAG:
      FramerM__gTxState = FramerM__TXSTATE_FINISH;
      TxResult = UARTM__ByteComm__txByte(FramerM__HDLC_FLAG_BYTE);
      break;

    case FramerM__TXSTATE_FINISH:
      case FramerM__TXSTATE_ERROR:
        FramerM__TxDone(FramerM__gTxState == FramerM__TXSTATE_FINISH);
      if (FramerM__gTxState == FramerM__TXSTATE_IDLE) {
        FramerM__gTxByteCnt = 0;
        FramerM__gTxRunningCRC = 0;
      }
      break;

    default:
      break;
  }
  if (TxResult != SUCCESS) {
    FramerM__gTxState = FramerM__TXSTATE_ERROR;
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
      oldState = UARTM__busy;
      UARTM__busy = FALSE;
    }
    __nesc_atomic_end(__nesc_atomic);
  }
  if (oldState) {
    FramerM__ByteComm__txByteReady(TRUE);
  }
}

# 56 "tos/types/AM.h"
typedef struct TOS_Msg {
  uint16_t addr;
  uint8_t type;
  uint8_t group;
  uint8_t length;
  int8_t data[29];
  uint16_t crc;
} __attribute((packed)) TOS_Msg;
typedef TOS_Msg *TOS_MsgPtr;

# 60 "tos/platform/mica/MicaHighSpeedRadioM.nc"
enum MicaHighSpeedRadioM____nesc_unnamed4260 {
  MicaHighSpeedRadioM__IDLE_STATE,
  MicaHighSpeedRadioM__SEARCH_STATE,
  MicaHighSpeedRadioM__RX_STATE,
  MicaHighSpeedRadioM__HEADER_BYTES = 3
};

static uint8_t MicaHighSpeedRadioM__state;
static TOS_Msg MicaHighSpeedRadioM__buffer;
static TOS_Msg MicaHighSpeedRadioM__spare;
static TOS_MsgPtr MicaHighSpeedRadioM__rec_ptr;
static uint8_t MicaHighSpeedRadioM__rec_count;
static uint16_t SurgeM__received;
static TOS_MsgPtr SurgeM__kept;

# 82 "tos/platform/mica/SpiByteFifoM.nc"
static inline void SpiByteFifoM__disableIntr(void )
{
  *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x0D + 0x20) &= ~(1 << 7);
}

static inline void SpiByteFifoM__enableIntr(void )
{
  *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x0D + 0x20) |= 1 << 7;
}

# 140 "apps/Surge/SurgeM.nc"
static inline TOS_MsgPtr SurgeM__Receive__receive(TOS_MsgPtr msg)
{
  TOS_MsgPtr give = SurgeM__kept;

  SurgeM__received++;
  SurgeM__kept = msg;
  return give;
}

# 120 "tos/platform/mica/MicaHighSpeedRadioM.nc"
static void MicaHighSpeedRadioM__packetReceived(void )
{
  TOS_MsgPtr tmp;

  tmp = SurgeM__Receive__receive((TOS_MsgPtr )MicaHighSpeedRadioM__rec_ptr);
  if (tmp != 0) {
    MicaHighSpeedRadioM__rec_ptr = tmp;
  }
  FramerM__StartTx(FramerM__PROTO_PACKET_NOACK, 12);
  SpiByteFifoM__enableIntr();
}

# 150
static inline result_t MicaHighSpeedRadioM__SpiByteFifo__dataReady(uint8_t data)
{
  switch (MicaHighSpeedRadioM__state) {
    case MicaHighSpeedRadioM__IDLE_STATE:
      if (data == 0x55) {
        MicaHighSpeedRadioM__state = MicaHighSpeedRadioM__SEARCH_STATE;
      }
      break;
    case MicaHighSpeedRadioM__SEARCH_STATE:
      MicaHighSpeedRadioM__rec_count = 0;
      MicaHighSpeedRadioM__state = data == 0xaa ? MicaHighSpeedRadioM__RX_STATE : MicaHighSpeedRadioM__IDLE_STATE;
      break;
    case MicaHighSpeedRadioM__RX_STATE:
      MicaHighSpeedRadioM__rec_count++;
      if (MicaHighSpeedRadioM__rec_count >= MicaHighSpeedRadioM__HEADER_BYTES) {
        MicaHighSpeedRadioM__state = MicaHighSpeedRadioM__IDLE_STATE;
        SpiByteFifoM__disableIntr();
        TOS_post(MicaHighSpeedRadioM__packetReceived);
        MicaHighSpeedRadioM__rec_ptr = & MicaHighSpeedRadioM__buffer;
      }
      break;
    default:
      MicaHighSpeedRadioM__state = MicaHighSpeedRadioM__IDLE_STATE;
      break;
  }
  return SUCCESS;
}

# 60 "tos/platform/mica/SpiByteFifoM.nc"
void __attribute((signal)) __vector_17(void )
{
  uint8_t temp = *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x0F + 0x20);

  MicaHighSpeedRadioM__SpiByteFifo__dataReady(temp);
}

# 160 "tos/lib/Framer/FramerM.nc"
static uint16_t SurgeM__sent;

static void FramerM__PacketSent(void )
{
  SurgeM__sent++;
}

# 70 "apps/Surge/SurgeM.nc"
static uint16_t SurgeM__gSensorData;

static void SurgeM__SendData(void )
{
  uint16_t reading;

  {
    __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();

    reading = SurgeM__gSensorData;
    __nesc_atomic_end(__nesc_atomic);
  }
  if (reading > 512) {
    FramerM__StartTx(FramerM__PROTO_PACKET_ACK, reading & 15);
  }
}

# 30 "tos/platform/avrmote/HPLClock.nc"
void __attribute((interrupt)) __vector_15(void )
{
  uint16_t data = *(volatile uint16_t *)(unsigned int )& * (volatile unsigned char *)(0x04 + 0x20);

  {
    __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();

    SurgeM__gSensorData = data;
    __nesc_atomic_end(__nesc_atomic);
  }
  TOS_post(SurgeM__SendData);
}

# 210 "tos/lib/Framer/FramerM.nc"
static inline result_t FramerM__StdControl__init(void )
{
  FramerM__gTxState = FramerM__TXSTATE_IDLE;
  FramerM__gTxByteCnt = 0;
  FramerM__gTxLength = 0;
  FramerM__gTxRunningCRC = 0;
  FramerM__gTxProto = FramerM__PROTO_UNKNOWN;
  return SUCCESS;
}

# 54 "tos/system/RealMain.nc"
int main(void )
{
  TOSH_sched_init();
  FramerM__StdControl__init();
  MicaHighSpeedRadioM__rec_ptr = & MicaHighSpeedRadioM__buffer;
  MicaHighSpeedRadioM__state = MicaHighSpeedRadioM__IDLE_STATE;
  SurgeM__kept = & MicaHighSpeedRadioM__spare;
  *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x0A + 0x20) = 0x48;
  *(volatile uint8_t *)(unsigned int )& * (volatile unsigned char *)(0x37 + 0x20) |= 1 << 1;
  SpiByteFifoM__enableIntr();
  __nesc_enable_interrupt();
  while (1) {
      TOSH_run_task();
    }
}
