// Every thread writes its own element and the next one.
//
// EXPECT: race part[]
#include <pthread.h>

static long part[33];

static void *worker(void *arg)
{
    long me = (long)arg;

    part[me] = 1;
    part[me + 1] = 2;
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
