// CIRC: --property asserts
// EXPECT: safe asserts
// MUX-SEM-COUNT: as MUX-SEM, and each thread counts its visits modulo M in a variable of its own.
#include "circ.h"
#ifndef N
#define N 3
#endif
#ifndef M
#define M 8
#endif

_Bool x = 1;

circ_threads(N) void process(void)
{
    unsigned counter = 0;
    for (;;) {
#ifdef BROKEN
        while (x == 0) {
        }
        atomic { x = 0; counter = (counter + 1) % M; }
#else
        atomic { assume(x == 1); x = 0; counter = (counter + 1) % M; }
#endif
        circ_critical { }
        x = 1;
    }
}
