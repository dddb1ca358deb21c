// CIRC: --property asserts
// EXPECT: safe asserts
// Dining philosophers: a fork is a bit, nobody eats without both forks. Neighbours never eat at the same time.
#include "circ.h"
#ifndef N
#define N 4
#endif

_Bool fork[N];
_Bool eating[N];

circ_threads(N) void philosopher(int self)
{
    for (;;) {
        atomic { assume(!fork[self]); fork[self] = 1; }
#ifndef BROKEN
        atomic { assume(!fork[(self + 1) % N]); fork[(self + 1) % N] = 1; }
#endif
        eating[self] = 1;
        assert(!eating[(self + 1) % N]);
        eating[self] = 0;
#ifndef BROKEN
        fork[(self + 1) % N] = 0;
#endif
        fork[self] = 0;
    }
}
