// The test-and-set of Figure 1 of "Race Checking by Context Inference" (Henzinger, Jhala, Majumdar, 2004).
//
// EXPECT: safe x
// EXPECT: safe state
//
// Any number of threads. The one that moves `state` from 0 to 1 sees old == 0 and may touch x; every other
// thread sees old == 1 until it is given back. `state` itself is written outside atomic, but only by the
// thread that holds it, and every other access to it is inside the atomic section.
#include "circ.h"

int x, state;

circ_thread void Thread(void)
{
    int old;

    while (1) {
        atomic {
            old = state;
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
