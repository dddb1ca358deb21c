// Two locks, each variable under its own.
//
// EXPECT: safe queue
// EXPECT: safe stats
// EXPECT: safe lock_q
// EXPECT: safe lock_s
//
// queue is touched with lock_q held, stats with lock_s held.
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
        ACQUIRE(lock_q, got);
        queue = 0;
        RELEASE(lock_q);
    }
}
