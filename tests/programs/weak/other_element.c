// Changes that acquire and release, of two elements of an array: what one was told the other does not know.
// EXPECT: unknown data
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int data;
static atomic_int ready, counts[2];

static void *writer(void *argument)
{
    data = 1;
    atomic_fetch_add_explicit(&counts[0], 1, memory_order_acq_rel);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return argument;
}

static void *reader(void *argument)
{
    unsigned k = rand();
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        ;
    atomic_fetch_add_explicit(&counts[1], 1, memory_order_acq_rel);
    if (k * k == 1234321u)
        data = 2;
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, writer, 0);
    pthread_create(&two, 0, reader, 0);
    return 0;
}
