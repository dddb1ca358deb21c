// Double-checked initialisation: the fast path tests a flag, the slow path takes a lock.
//
// EXPECT: race instance
// EXPECT: safe lock
// EXPECT: safe built
//
// `built` is set before instance is written, so a reader on the fast path meets the write.
#include "circ.h"

int built;
int lock;
int instance;

static void acquire(void)
{
    int got = 0;

    while (!got) {
        atomic {
            if (!lock) {
                lock = 1;
                got = 1;
            }
        }
    }
}

static int is_built(void)
{
    int b;

    atomic { b = built; }
    return b;
}

static int get(void)
{
    if (!is_built()) {
        acquire();
        if (!is_built()) {
            atomic { built = 1; }
            instance = 42;
        }
        atomic { lock = 0; }
    }
    return instance;
}

circ_thread void user(void)
{
    int v = get();

    if (v != 42) {
        v = get();
    }
}
