// A mutex by atomic test-and-set, in functions; two shared variables under it.
//
// EXPECT: safe balance
// EXPECT: safe deposits
// EXPECT: safe locked
//
// try_lock returns 1 to the one thread that moved `locked` from 0 to 1. Its plain write `locked = 0` meets only
// accesses inside atomic sections, and no other thread is at that write while the lock is held.
#include "circ.h"

int balance;
int deposits;
int locked;

static int try_lock(void)
{
    int got = 0;

    atomic {
        if (locked == 0) {
            locked = 1;
            got = 1;
        }
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
