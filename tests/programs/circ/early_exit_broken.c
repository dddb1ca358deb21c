// Work under a lock with an early exit by break.
//
// EXPECT: race slot
// EXPECT: safe lock
//
// The loop releases the lock itself when it stops early, and the statement after it still writes slot.
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
            atomic { lock = 0; }
            break;
        }
        slot = slot - 1;
    }
    slot = i;
    if (i == 3) {
        atomic { lock = 0; }
    }
}
