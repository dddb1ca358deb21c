// The test-and-set of Figure 1 with the atomic section moved below the read of `state`.
//
// EXPECT: race x
// EXPECT: race state
//
// Two threads read state == 0 into `old`; then the one and the other pass the atomic section, which no longer
// decides anything: both see old == 0. The plain read of `state` meets the plain write that gives it back.
#include "circ.h"

int x, state;

circ_thread void Thread(void)
{
    int old;

    while (1) {
        old = state;
        atomic {
            if (state == 0) {
                state = 1;
            }
        }
        if (old == 0) {
            x = x + 1;
            state = 0;
        }
    }
}
