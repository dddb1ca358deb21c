// CIRC: --property all
// A clock that is on while at least one of three drivers uses it.
//
// EXPECT: safe asserts
// EXPECT: safe users
// EXPECT: safe clock_on
//
// The count and the clock change together inside atomic: a driver that has acquired the clock finds it on.
#include "circ.h"

int users;
int clock_on;

static void acquire(void)
{
    atomic {
        if (users == 0)
            clock_on = 1;
        users = users + 1;
    }
}

static void release(void)
{
    atomic {
        users = users - 1;
        if (users == 0)
            clock_on = 0;
    }
}

circ_threads(3) void driver(void)
{
    int on;

    while (1) {
        acquire();
        atomic { on = clock_on; }
        assert(on);
        release();
    }
}
