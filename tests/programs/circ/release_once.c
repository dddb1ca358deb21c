// A thread releases the lock once on each path.
//
// EXPECT: safe ledger
// EXPECT: safe lock
//
// Each path from the acquisition to the end passes one release, after the last access.
#include "circ.h"

int lock;
int ledger;

circ_thread void clerk(void)
{
    int got, amount;

    while (1) {
        got = 0;
        atomic {
            if (!lock) {
                lock = 1;
                got = 1;
            }
        }
        if (!got) {
            continue;
        }
        amount = nondet();
        if (amount < 0) {
            atomic { lock = 0; }
            continue;
        }
        ledger = ledger + amount;
        atomic { lock = 0; }
    }
}
