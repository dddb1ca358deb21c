// A gate with two classes: urgent requests are served first, normal ones only when no urgent one waits.
//
// EXPECT: race device
// EXPECT: safe busy
// EXPECT: safe urgent_waiting
//
// An urgent request does not look at busy.
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
                busy = 1;
                in = 1;
            }
        }
        atomic { urgent_waiting--; }
        device = 2;
        atomic { busy = 0; }
    }
}
