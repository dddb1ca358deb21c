// The load acquires, but the store it sees is relaxed.
// EXPECT: race length
#include <pthread.h>
#include <stdatomic.h>

static unsigned length;
static atomic_int ready;

static void *sender(void *arg)
{
    length = 5;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, sender, 0);
    while (!atomic_load_explicit(&ready, memory_order_acquire))
        ;
    return (int)length;
}
