// CIRC: --property asserts
// The same recursion without the mutex: x may be 0 when it is looked at.
#include "circ.h"

int x = 1;

void work(void)
{
    if (nondet())
        work();
    x = 0;
    x = 1;
    assert(x > 0);
}

circ_threads(2) void p(void)
{
    work();
}
