// CIRC: --property asserts
// One thread: what a recursive function returns comes back to the call it belongs to.
#include "circ.h"

_Bool flip(_Bool b)
{
    if (nondet())
        return !flip(!b);
    return b;
}

circ_threads(1) void p(void)
{
    assert(flip(1) == 1);
    assert(flip(0) == 0);
}
