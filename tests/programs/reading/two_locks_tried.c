// Each thread gives back one lock and finds the other one still taken: no single order of the two locks is the only one.
// EXPECT: unknown data
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int a = 1, b = 1;

void *first(void *arg)
{
    atomic_store_explicit(&a, 0, memory_order_release);
    if (atomic_exchange_explicit(&b, 1, memory_order_acquire) == 1)
        data = 1;
    return arg;
}

void *second(void *arg)
{
    atomic_store_explicit(&b, 0, memory_order_release);
    if (atomic_exchange_explicit(&a, 1, memory_order_acquire) == 1)
        data = 2;
    return arg;
}

int main(void)
{
    pthread_t h, g;

    pthread_create(&h, 0, first, 0);
    pthread_create(&g, 0, second, 0);
    return 0;
}
