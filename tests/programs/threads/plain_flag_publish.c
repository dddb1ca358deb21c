// The same with a plain flag: the data is handed over, but the accesses to the flag race.
//
// EXPECT: safe data
// EXPECT: race ready
#include <pthread.h>

static int data;
static int ready;

static void *producer(void *arg)
{
    (void)arg;
    data = 17;
    ready = 1;
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, producer, 0);
    while (!ready)
        ;
    return data;
}
