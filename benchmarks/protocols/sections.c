// CIRC: --property asserts
// EXPECT: safe asserts
// The family of "Precise Thread-Modular Verification", Figure 3: M critical sections one after the other, all behind one lock.
#include "circ.h"
#ifndef N
#define N 3
#endif
#ifndef M
#define M 3
#endif
#ifdef BROKEN
#define ACQUIRE while (lck) { } lck = 1
#else
#define ACQUIRE atomic { assume(!lck); lck = 1; }
#endif
#define SECTION ACQUIRE; circ_critical { } lck = 0;

_Bool lck;

circ_threads(N) void process(void)
{
    SECTION
#if M > 1
    SECTION
#endif
#if M > 2
    SECTION
#endif
#if M > 3
    SECTION
#endif
#if M > 4
    SECTION
#endif
#if M > 5
    SECTION
#endif
#if M > 6
    SECTION
#endif
#if M > 7
    SECTION
#endif
#if M > 8
    SECTION
#endif
}
