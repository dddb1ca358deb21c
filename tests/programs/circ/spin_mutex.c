// A spin lock: the atomic exchange is repeated until it gets the lock.
//
// EXPECT: safe shared_log
// EXPECT: safe lock
//
// A thread leaves the loop only when it read 0 and wrote 1 in one step. unlock is a plain write by the holder.
#include "circ.h"

int shared_log;
int lock;

static int exchange_one(void)
{
    int before;

    atomic {
        before = lock;
        lock = 1;
    }
    return before;
}

static void spin_lock(void)
{
    while (exchange_one() != 0) {
    }
}

static void spin_unlock(void)
{
    lock = 0;
}

circ_thread void writer(void)
{
    while (1) {
        spin_lock();
        if (shared_log > 1000) {
            shared_log = 0;
        } else {
            shared_log += 2;
        }
        spin_unlock();
    }
}
