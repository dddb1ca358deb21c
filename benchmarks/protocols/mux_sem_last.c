// CIRC: --property asserts
// EXPECT: safe asserts
// MUX-SEM-LAST: as MUX-SEM, and the last thread to enter leaves its number.
#include "circ.h"
#ifndef N
#define N 4
#endif

_Bool x = 1;
int last;

circ_threads(N) void process(int self)
{
    for (;;) {
#ifdef BROKEN
        while (x == 0) {
        }
        atomic { x = 0; last = self; }
#else
        atomic { assume(x == 1); x = 0; last = self; }
#endif
        circ_critical { }
        x = 1;
    }
}
