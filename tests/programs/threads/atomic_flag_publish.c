// The data is written before the atomic flag is set, and read after it is seen.
//
// EXPECT: safe data
// EXPECT: safe ready
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int ready;

static void *producer(void *arg)
{
    (void)arg;
    data = 17;
    atomic_store(&ready, 1);
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, producer, 0);
    while (!atomic_load(&ready))
        ;
    return data;
}
