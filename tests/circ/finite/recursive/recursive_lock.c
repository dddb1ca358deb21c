// CIRC: --property asserts
// A mutex with its owner's number around x, taken at any depth of a recursion that no stack bounds.
#include "circ.h"

int m;
int x = 1;

void work(int self)
{
    if (nondet())
        work(self);
    atomic { assume(m == 0); m = self + 1; }
    x = 0;
    x = x + 1;
    assert(x > 0);
    m = 0;
    if (nondet())
        work(self);
}

circ_threads(2) void p(int self)
{
    work(self);
}
