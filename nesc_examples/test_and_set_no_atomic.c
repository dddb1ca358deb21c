// The test-and-set of Figure 1 without its atomic section.
//
// EXPECT: race x
// EXPECT: race state
//
// Two threads read state == 0 before either of them writes 1: both hold old == 0 and both touch x.
// The test of `state` itself meets the write of it.
#include "circ.h"

int x, state;

circ_thread void Thread(void)
{
    int old;

    while (1) {
        old = state;
        if (state == 0) {
            state = 1;
        }
        if (old == 0) {
            x = x + 1;
            state = 0;
        }
    }
}
