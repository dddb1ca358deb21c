// A gate with two classes: urgent requests are served first, normal ones only when no urgent one waits.
//
// EXPECT: safe device
// EXPECT: safe busy
// EXPECT: safe urgent_waiting
//
// Whatever the class, busy is tested and set in one step.
#include "circ.h"

int busy, urgent_waiting;
int device;

circ_threads(2) void normal(void)
{
    int in;

    while (1) {
        in = 0;
        atomic {
            if (!busy && urgent_waiting == 0) {
                busy = 1;
                in = 1;
            }
        }
        if (in) {
            device = 1;
            atomic { busy = 0; }
        }
    }
}

circ_threads(2) void urgent(void)
{
    int in;

    while (1) {
        atomic { urgent_waiting++; }
        in = 0;
        while (!in) {
            atomic {
                if (!busy) {
                    busy = 1;
                    in = 1;
                }
            }
        }
        atomic { urgent_waiting--; }
        device = 2;
        atomic { busy = 0; }
    }
}
