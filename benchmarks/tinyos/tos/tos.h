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

/* The library's own, so that nothing depends on the C library. */
static void *nmemcpy(void *to, const void *from, size_t n) {
  char *cto = to;
  const char *cfrom = from;

  while (n--)
    *cto++ = *cfrom++;
  return to;
}
static inline void *nmemset(void *to, int val, size_t n) {
  char *cto = to;

  while (n--)
    *cto++ = val;
  return to;
}
#define memcpy nmemcpy
#define memset nmemset
#include "hardware.h"
#include "sched.c"
#endif
