// Both may see the old value of the other's flag: the exchanges are in no single order with the loads.
// EXPECT: unknown x
#include <pthread.h>
#include <stdatomic.h>

int x;
atomic_int a, b;

void *first(void *arg)
{
    atomic_exchange_explicit(&a, 1, memory_order_acq_rel);
    if (!atomic_load(&b))
        x = 1;
    return arg;
}

void *second(void *arg)
{
    atomic_exchange_explicit(&b, 1, memory_order_acq_rel);
    if (!atomic_load(&a))
        x = 2;
    return arg;
}

int main(void)
{
    pthread_t h, g;

    pthread_create(&h, 0, first, 0);
    pthread_create(&g, 0, second, 0);
    return 0;
}
