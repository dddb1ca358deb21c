// A thread initialises the mutex again while others may hold it: the second lock succeeds.
//
// EXPECT: race total
#include <pthread.h>

static pthread_mutex_t m;
static int total;

static void *worker(void *arg)
{
    (void)arg;
    pthread_mutex_init(&m, 0);
    pthread_mutex_lock(&m);
    total++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
