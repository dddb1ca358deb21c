// Double-checked initialisation: the fast path tests a flag, the slow path takes a lock.
//
// EXPECT: safe instance
// EXPECT: safe lock
// EXPECT: safe built
//
// instance is written once, under the lock, before `built` is set; readers come after built == 1.
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
            instance = 42;
            atomic { built = 1; }
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
