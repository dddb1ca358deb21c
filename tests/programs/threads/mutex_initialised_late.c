// main creates the thread first and initialises afterwards: the plain write of total has no lock.
//
// EXPECT: race total
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *worker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    total++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, worker, 0);
    total = 10;
    return 0;
}
