// Conditional locking: whether the lock is held is known from a function's return value only.
//
// EXPECT: race table
// EXPECT: safe in_use
//
// A caller that got BUSY goes on as if it had got OK, because only BAD is tested for.
#include "circ.h"

enum result { OK = 0, BUSY = 1, BAD = 2 };

int in_use;
int table;

static enum result open_table(int key)
{
    enum result r = BUSY;

    if (key < 0) {
        return BAD;
    }
    atomic {
        if (!in_use) {
            in_use = 1;
            r = OK;
        }
    }
    return r;
}

static void close_table(void)
{
    atomic { in_use = 0; }
}

static enum result update(int key)
{
    enum result r = open_table(key);

    if (r == BAD) {
        return r;
    }
    table = key;
    close_table();
    return OK;
}

circ_thread void client(void)
{
    enum result r;

    do {
        r = update(nondet());
    } while (r != BAD);
}
