// A lock written with a blocking guard: atomic { assume(free); take it }.
//
// EXPECT: race account
// EXPECT: safe held
//
// The auditor comes in without the lock.
#include "circ.h"

int held;
int account;

static void lock(void)
{
    atomic {
        assume(held == 0);
        held = 1;
    }
}

static void unlock(void)
{
    atomic { held = 0; }
}

circ_thread void teller(void)
{
    while (1) {
        lock();
        account = account + 10;
        unlock();
    }
}

circ_threads(1) void auditor(void)
{
    int seen;

    while (1) {
        seen = account;
        if (seen < 0) {
            break;
        }
    }
}
