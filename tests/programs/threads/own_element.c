// Each thread gets its own index from the loop that creates it.
//
// EXPECT: safe part[]
#include <pthread.h>

static long part[32];

static void *worker(void *arg)
{
    long me = (long)arg;
    int i;

    for (i = 0; i < 100; i++)
        part[me] += i;
    return 0;
}

int main(void)
{
    pthread_t t;
    long i;

    for (i = 0; i < 32; i++)
        pthread_create(&t, 0, worker, (void *)i);
    return 0;
}
