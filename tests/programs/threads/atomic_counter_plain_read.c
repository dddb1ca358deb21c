// An atomic counter that one thread reads with a plain access.
//
// EXPECT: race visits
#include <pthread.h>

static int visits;

static void *worker(void *arg)
{
    (void)arg;
    __sync_fetch_and_add(&visits, 1);
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, worker, 0);
    return visits;
}
