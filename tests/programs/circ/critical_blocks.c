// CIRC: --property asserts
// Mutual exclusion stated with circ_critical: at most one thread inside.
//
// EXPECT: safe asserts
//
// The atomic exchange lets one thread in.
#include "circ.h"

int gate;

circ_thread void user(void)
{
    int before;

    while (1) {
        atomic {
            before = gate;
            gate = 1;
        }
        if (before == 0) {
            circ_critical {
                before = 1;
            }
            gate = 0;
        }
    }
}
