#include <pthread.h>
#include "stats.h"

static void *worker(void *arg)
{
    for (int i = 0; i < 1000; i++)
        record(i);
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return total() > 0;
}
