// A mutex by test-and-set whose test and set are two atomic sections.
//
// EXPECT: race balance
// EXPECT: race deposits
// EXPECT: race locked
//
// Two threads both see locked == 0 in the first section, then both set it in the second: both are inside, and
// both come to the plain write of `locked` in unlock.
#include "circ.h"

int balance;
int deposits;
int locked;

static int try_lock(void)
{
    int got = 0;

    atomic {
        got = locked == 0;
    }
    if (got) {
        atomic { locked = 1; }
    }
    return got;
}

static void unlock(void)
{
    locked = 0;
}

circ_thread void teller(void)
{
    int amount;

    while (1) {
        amount = nondet();
        if (amount <= 0) {
            continue;
        }
        if (try_lock()) {
            balance = balance + amount;
            deposits = deposits + 1;
            unlock();
        }
    }
}
