// CIRC: --property asserts
// EXPECT: safe asserts
// Peterson's algorithm, as in "Precise Thread-Modular Verification", Figure 2.
#include "circ.h"

_Bool x, y, turn;

circ_threads(1) void first(void)
{
    for (;;) {
        x = 1;
#ifndef BROKEN
        turn = 1;
#endif
        atomic { assume(!(y && turn)); }
        circ_critical { }
        x = 0;
    }
}

circ_threads(1) void second(void)
{
    for (;;) {
        y = 1;
        turn = 0;
        atomic { assume(!(x && !turn)); }
        circ_critical { }
        y = 0;
    }
}
