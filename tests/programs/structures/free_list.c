// A pool of blocks with a free list of indices under a lock.
//
// EXPECT: safe next[]
// EXPECT: safe first
// EXPECT: safe lock
//
// The list is touched under the lock only.
#include "circ.h"

#define BLOCKS 4
#define END (-1)

int lock;
int first;
int next[BLOCKS] = { 1, 2, 3, END };

static void acquire(void)
{
    int got = 0;

    do {
        atomic {
            if (lock == 0) {
                lock = 1;
                got = 1;
            }
        }
    } while (!got);
}

static void release(void)
{
    atomic { lock = 0; }
}

static int take(void)
{
    int b;

    acquire();
    b = first;
    if (b != END)
        first = next[b];
    release();
    return b;
}

static void give_back(int b)
{
    acquire();
    next[b] = first;
    first = b;
    release();
}

circ_thread void user(void)
{
    int b;

    while (1) {
        b = take();
        if (b != END)
            give_back(b);
    }
}
