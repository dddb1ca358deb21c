// CIRC: --property asserts
// EXPECT: safe asserts
// MUX-SEM: a Boolean semaphore keeps all but one thread out of the critical section.
#include "circ.h"
#ifndef N
#define N 4
#endif

_Bool x = 1;

circ_threads(N) void process(void)
{
    for (;;) {
#ifdef BROKEN
        while (x == 0) {
        }
        x = 0;
#else
        atomic { assume(x == 1); x = 0; }
#endif
        circ_critical { }
        x = 1;
    }
}
