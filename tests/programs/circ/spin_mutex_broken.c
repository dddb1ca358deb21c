// A spin lock that gives up spinning after a few tries and goes in without the lock.
//
// EXPECT: race shared_log
// EXPECT: race lock
//
// After three failed tries a thread enters while another is inside; both then write `lock` plainly, too.
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
    int tries = 0;

    while (exchange_one() != 0) {
        if (++tries == 3) {
            break;
        }
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
