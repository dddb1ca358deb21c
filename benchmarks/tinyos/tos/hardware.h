#ifndef HARDWARE_H
#define HARDWARE_H
#include "avr.h"

typedef uint8_t __nesc_atomic_t;

inline __nesc_atomic_t __nesc_atomic_start(void) __attribute__((spontaneous)) {
  __nesc_atomic_t result = inp(SREG);
  cli();
  return result;
}

inline void __nesc_atomic_end(__nesc_atomic_t oldSreg) __attribute__((spontaneous)) {
  outp(oldSreg, SREG);
}

static inline void __nesc_enable_interrupt() {
  sei();
}

static inline void __nesc_disable_interrupt() {
  cli();
}

/* A sixteen-bit timer register must be read with nothing in between. */
static inline uint16_t __inw_atomic(volatile uint8_t *port) {
  uint16_t value;
  uint8_t on = inp(SREG) & 0x80;
  cli();
  value = *(volatile uint16_t *)port;
  if (on)
    sei();
  return value;
}

static inline void TOSH_wait() {
  __asm__ volatile ("nop" ::);
  __asm__ volatile ("nop" ::);
}

static inline void TOSH_sleep() {
  __asm__ volatile ("sleep" ::);
}

#define TOSH_ASSIGN_PIN(name, port, bit) \
static inline void TOSH_SET_##name##_PIN() { sbi(PORT##port, bit); } \
static inline void TOSH_CLR_##name##_PIN() { cbi(PORT##port, bit); } \
static inline void TOSH_MAKE_##name##_OUTPUT() { sbi(DDR##port, bit); } \
static inline void TOSH_MAKE_##name##_INPUT() { cbi(DDR##port, bit); }
#define TOSH_ASSIGN_READ_PIN(name, port, bit) \
static inline char TOSH_READ_##name##_PIN() { return (inp(PIN##port) >> bit) & 1; }
#define TOSH_ASSIGN_OUTPUT_ONLY_PIN(name, port, bit) \
static inline void TOSH_SET_##name##_PIN() { sbi(PORT##port, bit); } \
static inline void TOSH_CLR_##name##_PIN() { cbi(PORT##port, bit); } \
static inline void TOSH_MAKE_##name##_OUTPUT() { }

TOSH_ASSIGN_PIN(RED_LED, A, 2);
TOSH_ASSIGN_PIN(GREEN_LED, A, 1);
TOSH_ASSIGN_PIN(YELLOW_LED, A, 0);
TOSH_ASSIGN_PIN(PHOTO_CTL, A, 5);
TOSH_ASSIGN_PIN(BOOST_ENABLE, A, 4);
TOSH_ASSIGN_PIN(RFM_RXD, B, 2);
TOSH_ASSIGN_READ_PIN(RFM_RXD, B, 2);
TOSH_ASSIGN_PIN(RFM_TXD, B, 3);
TOSH_ASSIGN_PIN(RFM_CTL0, D, 7);
TOSH_ASSIGN_PIN(RFM_CTL1, D, 6);
TOSH_ASSIGN_PIN(UART_RXD0, D, 2);
TOSH_ASSIGN_PIN(UART_TXD0, D, 3);
TOSH_ASSIGN_OUTPUT_ONLY_PIN(PW0, C, 0);
TOSH_ASSIGN_OUTPUT_ONLY_PIN(PW1, C, 1);
TOSH_ASSIGN_OUTPUT_ONLY_PIN(PW2, C, 2);
TOSH_ASSIGN_OUTPUT_ONLY_PIN(PW3, C, 3);

static inline void TOSH_SET_PIN_DIRECTIONS() {
  TOSH_MAKE_RED_LED_OUTPUT();
  TOSH_MAKE_YELLOW_LED_OUTPUT();
  TOSH_MAKE_GREEN_LED_OUTPUT();
  TOSH_MAKE_RFM_CTL0_OUTPUT();
  TOSH_MAKE_RFM_CTL1_OUTPUT();
  TOSH_MAKE_RFM_TXD_OUTPUT();
  TOSH_MAKE_BOOST_ENABLE_OUTPUT();
  TOSH_SET_BOOST_ENABLE_PIN();
  TOSH_MAKE_PHOTO_CTL_OUTPUT();
  TOSH_CLR_PHOTO_CTL_PIN();
  TOSH_MAKE_UART_TXD0_OUTPUT();
  TOSH_MAKE_UART_RXD0_INPUT();
  TOSH_MAKE_PW0_OUTPUT();
  TOSH_MAKE_PW1_OUTPUT();
}
#endif
