// The lock is given back with a relaxed store: the next holder need not see what was done under it.
// EXPECT: race total
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct { atomic_int taken; } spin_t;

static spin_t lock;
static long total;

static void spin_lock(spin_t *l)
{
    while (atomic_exchange_explicit(&l->taken, 1, memory_order_acquire))
        ;
}

static void spin_unlock(spin_t *l)
{
    atomic_store_explicit(&l->taken, 0, memory_order_relaxed);
}

static void *worker(void *arg)
{
    for (int i = 0; i < 100; i++) {
        spin_lock(&lock);
        total += i;
        spin_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int n = argc > 1 ? atoi(argv[1]) : 4;

    for (int i = 0; i < n; i++)
        pthread_create(&t, 0, worker, 0);
    pthread_exit(0);
}
