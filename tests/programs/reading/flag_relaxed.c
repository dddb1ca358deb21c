// Data behind a relaxed flag races in C11.
// EXPECT: race data
// EXPECT: safe flag
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int flag;

void *writer(void *arg)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, writer, 0);
    if (atomic_load_explicit(&flag, memory_order_relaxed))
        data = 2;
    return 0;
}
