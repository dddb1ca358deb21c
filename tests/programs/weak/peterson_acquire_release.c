// Peterson's algorithm with acquire and release: both may miss the other's wish.
// EXPECT: race shared
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants0, wants1, turn;
static atomic_long tries;
static int shared;

static void *zero(void *arg)
{
    atomic_fetch_add_explicit(&tries, 1, memory_order_relaxed);
    atomic_store_explicit(&wants0, 1, memory_order_release);
    atomic_store_explicit(&turn, 1, memory_order_release);
    while (atomic_load_explicit(&wants1, memory_order_acquire) && atomic_load_explicit(&turn, memory_order_acquire) == 1)
        ;
    shared++;
    atomic_store_explicit(&wants0, 0, memory_order_release);
    return arg;
}

static void *one(void *arg)
{
    atomic_fetch_add_explicit(&tries, 1, memory_order_relaxed);
    atomic_store_explicit(&wants1, 1, memory_order_release);
    atomic_store_explicit(&turn, 0, memory_order_release);
    while (atomic_load_explicit(&wants0, memory_order_acquire) && atomic_load_explicit(&turn, memory_order_acquire) == 0)
        ;
    shared--;
    atomic_store_explicit(&wants1, 0, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, zero, 0);
    pthread_create(&b, 0, one, 0);
    return 0;
}
