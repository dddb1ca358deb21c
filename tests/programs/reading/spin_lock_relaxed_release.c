// Giving the lock back with a relaxed store hands nothing over.
// EXPECT: race data
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int l;

void *worker(void *arg)
{
    while (atomic_exchange_explicit(&l, 1, memory_order_acquire))
        ;
    data++;
    atomic_store_explicit(&l, 0, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
