// A thread releases the lock on the error path and once more at the end.
//
// EXPECT: race ledger
// EXPECT: safe lock
//
// After the first release another thread takes the lock; the second release frees it while that one is inside, and
// a third enters.
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
            goto out;
        }
        ledger = ledger + amount;
out:
        atomic { lock = 0; }
    }
}
