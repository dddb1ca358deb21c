// CIRC: --property all
// EXPECT: safe x
// EXPECT: safe asserts
// Simple(n) of "Thread-Modular Model Checking": a mutex that holds its owner's number protects x.
#include "circ.h"
#ifndef N
#define N 3
#endif
#ifdef BROKEN
#define OTHERS_WAIT(m) 1
#else
#define OTHERS_WAIT(m) ((m) == 0)
#endif

int m;
int x = 1;

circ_range(x, 0, N);
circ_invariant(m != 0 || x == 1);

circ_threads(N) void p(int self)
{
    atomic { assume(OTHERS_WAIT(m)); m = self + 1; }
    x = 0;
    x = x + 1;
    assert(x > 0);
    m = 0;
}
