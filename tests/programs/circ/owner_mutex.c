// A mutex that records its owner: 0 is free, self + 1 is the owner.
//
// EXPECT: safe buffer
// EXPECT: safe owner
//
// Only a thread that finds 0 writes its own number, and only the owner gives it back.
#include "circ.h"

int owner;
int buffer;

static void acquire(int self)
{
    int mine = 0;

    while (!mine) {
        atomic {
            if (owner == 0) {
                owner = self + 1;
            }
            mine = owner == self + 1;
        }
    }
}

static void release(void)
{
    owner = 0;
}

circ_threads(3) void station(int self)
{
    while (1) {
        acquire(self);
        buffer = self;
        release();
    }
}
