// Work under a lock with an early exit by break.
//
// EXPECT: safe slot
// EXPECT: safe lock
//
// Every way out of the loop leads to the release, and slot is not touched afterwards.
#include "circ.h"

int lock;
int slot;

circ_thread void searcher(void)
{
    int got = 0, i;

    while (!got) {
        atomic {
            if (lock == 0) {
                lock = 1;
                got = 1;
            }
        }
    }
    for (i = 0; i < 3; i++) {
        if (slot == i) {
            break;
        }
        slot = slot - 1;
    }
    slot = i;
    atomic { lock = 0; }
}
