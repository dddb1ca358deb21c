// An exchange that only acquires publishes nothing.
// EXPECT: race data
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int flag;

void *worker(void *arg)
{
    data = 1;
    atomic_exchange_explicit(&flag, 1, memory_order_acquire);
    return arg;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, worker, 0);
    if (atomic_fetch_add_explicit(&flag, 0, memory_order_acquire) == 1)
        data = 2;
    return 0;
}
