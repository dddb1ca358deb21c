// Conditional locking: whether the lock is held is known from a function's return value only.
//
// EXPECT: safe table
// EXPECT: safe in_use
//
// open_table returns OK exactly when the caller moved in_use from 0 to 1; BUSY and BAD callers do not touch table.
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

    if (r != OK) {
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
