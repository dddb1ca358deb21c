// CIRC: --property all
// A clock that is on while at least one of three drivers uses it.
//
// EXPECT: violated asserts
// EXPECT: safe users
// EXPECT: safe clock_on
//
// release switches the clock off without looking at the count.
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
