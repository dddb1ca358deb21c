#ifndef TOS_H
#define TOS_H
#include <stddef.h>
#include <stdint.h>
typedef unsigned char bool;
enum { FALSE = 0, TRUE = 1 };
typedef uint8_t result_t;
enum { FAIL = 0, SUCCESS = 1 };
result_t rcombine(result_t r1, result_t r2) {
  return r1 == FAIL ? FAIL : r2;
}
uint16_t TOS_LOCAL_ADDRESS = 1;

/* Ours, so that nothing depends on the C library. */
static inline void *copyBytes(void *to, const void *from, size_t bytes) {
  size_t n;

  for (n = 0; n < bytes; n++)
    ((uint8_t *)to)[n] = ((const uint8_t *)from)[n];
  return to;
}
static inline void *fillBytes(void *to, int value, size_t bytes) {
  size_t n;

  for (n = 0; n < bytes; n++)
    ((uint8_t *)to)[n] = value;
  return to;
}
#define memcpy copyBytes
#define memset fillBytes
#include "hardware.h"
#include "sched.c"
#endif
