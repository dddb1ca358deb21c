// A mutex that records its owner: 0 is free, self + 1 is the owner.
//
// EXPECT: race buffer
// EXPECT: race owner
//
// The owner is overwritten without looking: the second thread steals the lock while the first is inside, sees
// itself as owner, and goes in as well. Both may then be at the plain write in release.
#include "circ.h"

int owner;
int buffer;

static void acquire(int self)
{
    int mine = 0;

    while (!mine) {
        atomic {
            owner = self + 1;
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
