// sense: the ADC, guarded by a state variable and by the converter's own enable and start bits together.
// CIRC: --platform atmega103
//
// EXPECT: safe ADCM$tosPort
// EXPECT: safe ADCM$state
//
// A request moves the state from idle to busy in an atomic section, then writes tosPort outside atomic, then sets the
// enable and start bits of the converter. The ADC handler reads tosPort and resets the state to idle; the hardware clears
// the start bit when the conversion is complete. Between the claim and the start the handler cannot fire, so nobody
// resets the state, and no second request gets in. The interrupt bit 3 is set once, in main, before interrupts are on.
// ADCM$state is accessed in atomic sections only. Nested and free preemption agree.
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

# 50 "tos/system/ADCM.nc"
enum ADCM$__nesc_unnamed4270 {
  ADCM$IDLE = 0,
  ADCM$SINGLE_CONVERSION = 1
};

enum ADCM$__nesc_unnamed4271 {
  TOS_ADC_PHOTO_PORT = 1,
  TOS_ADC_TEMP_PORT = 2,
  TOSH_ADC_PORTMAPSIZE = 12
};

static uint8_t ADCM$state;
static uint8_t ADCM$tosPort;
static uint8_t ADCM$portmap[TOSH_ADC_PORTMAPSIZE];
static uint16_t SenseM$reading;

# 75 "apps/Sense/SenseM.nc"
static void SenseM$display(void )
{
  uint16_t value;

  {
    __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();

    value = SenseM$reading;
    __nesc_atomic_end(__nesc_atomic);
  }
  *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x1B + 0x20) = (value >> 7) & 0x7;
}

static inline result_t SenseM$ADC$dataReady(uint8_t port, uint16_t data)
{
  if (port == TOS_ADC_PHOTO_PORT) {
    {
      __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();

      SenseM$reading = data;
      __nesc_atomic_end(__nesc_atomic);
    }
    TOS_post(SenseM$display);
  }
  return SUCCESS;
}

# 88 "tos/platform/avrmote/HPLADCM.nc"
static inline result_t HPLADCM$ADC$samplePort(uint8_t port)
{
  *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x07 + 0x20) = port & 0x1f;
  *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x06 + 0x20) |= 1 << 7;
  *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x06 + 0x20) |= 1 << 6;
  return SUCCESS;
}

# 130 "tos/system/ADCM.nc"
static result_t ADCM$startGet(uint8_t newState, uint8_t port)
{
  uint8_t oldState;

  {
    __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();

    {
      oldState = ADCM$state;
      if (oldState == ADCM$IDLE) {
        ADCM$state = newState;
      }
    }
    __nesc_atomic_end(__nesc_atomic);
  }
  if (oldState == ADCM$IDLE) {
    ADCM$tosPort = port;
    return HPLADCM$ADC$samplePort(ADCM$portmap[port % TOSH_ADC_PORTMAPSIZE]);
  }
  return FAIL;
}

static inline result_t ADCM$ADC$getData(uint8_t port)
{
  return ADCM$startGet(ADCM$SINGLE_CONVERSION, port);
}

# 96
static inline result_t ADCM$HPLADC$dataReady(uint16_t data)
{
  uint8_t donePort;

  donePort = ADCM$tosPort;
  {
    __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();

    ADCM$state = ADCM$IDLE;
    __nesc_atomic_end(__nesc_atomic);
  }
  return SenseM$ADC$dataReady(donePort, data);
}

# 104 "tos/platform/avrmote/HPLADCM.nc"
void __attribute((signal)) __vector_21(void )
{
  uint16_t data = *(volatile uint16_t *)(unsigned int )& * (volatile unsigned char *)(0x04 + 0x20);

  data &= 0x3ff;
  __nesc_enable_interrupt();
  ADCM$HPLADC$dataReady(data);
}

# 60 "apps/Sense/SenseM.nc"
static void SenseM$sampleTemperature(void )
{
  ADCM$ADC$getData(TOS_ADC_TEMP_PORT);
}

static inline result_t SenseM$Timer$fired(void )
{
  ADCM$ADC$getData(TOS_ADC_PHOTO_PORT);
  TOS_post(SenseM$sampleTemperature);
  return SUCCESS;
}

# 30 "tos/platform/avrmote/HPLClock.nc"
void __attribute((interrupt)) __vector_15(void )
{
  SenseM$Timer$fired();
}

# 54 "tos/system/RealMain.nc"
int main(void )
{
  uint8_t i;

  TOSH_sched_init();
  for (i = 0; i < TOSH_ADC_PORTMAPSIZE; i++) {
    ADCM$portmap[i] = i;
  }
  ADCM$state = ADCM$IDLE;
  *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x06 + 0x20) = (1 << 3) | 4;
  *(volatile uint8_t *)(unsigned int )& * (volatile unsigned char *)(0x37 + 0x20) |= 1 << 1;
  __nesc_enable_interrupt();
  while (1) {
      TOSH_run_task();
    }
}
