// Peterson's algorithm with sequentially consistent accesses, and a relaxed counter beside it.
// EXPECT: safe shared
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants0, wants1, turn;
static atomic_long tries;
static int shared;

static void *zero(void *arg)
{
    atomic_fetch_add_explicit(&tries, 1, memory_order_relaxed);
    atomic_store(&wants0, 1);
    atomic_store(&turn, 1);
    while (atomic_load(&wants1) && atomic_load(&turn) == 1)
        ;
    shared++;
    atomic_store(&wants0, 0);
    return arg;
}

static void *one(void *arg)
{
    atomic_fetch_add_explicit(&tries, 1, memory_order_relaxed);
    atomic_store(&wants1, 1);
    atomic_store(&turn, 0);
    while (atomic_load(&wants0) && atomic_load(&turn) == 0)
        ;
    shared--;
    atomic_store(&wants1, 0);
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, zero, 0);
    pthread_create(&b, 0, one, 0);
    return 0;
}
