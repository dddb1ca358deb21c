// Two locks, and one of the threads takes the wrong one.
//
// EXPECT: race queue
// EXPECT: safe stats
// EXPECT: safe lock_q
// EXPECT: safe lock_s
//
// The flusher holds lock_s while it writes queue; the workers hold lock_q.
#include "circ.h"

int lock_q, lock_s;
int queue, stats;

#define ACQUIRE(l, got)                 \
    do {                                \
        got = 0;                        \
        atomic {                        \
            if ((l) == 0) {             \
                (l) = 1;                \
                got = 1;                \
            }                           \
        }                               \
    } while (!got)

#define RELEASE(l) atomic { (l) = 0; }

circ_thread void worker(void)
{
    int got;

    while (1) {
        ACQUIRE(lock_q, got);
        queue = queue + 1;
        RELEASE(lock_q);
        ACQUIRE(lock_s, got);
        stats = stats + 1;
        RELEASE(lock_s);
    }
}

circ_thread void flusher(void)
{
    int got;

    while (1) {
        ACQUIRE(lock_s, got);
        queue = 0;
        RELEASE(lock_s);
    }
}
