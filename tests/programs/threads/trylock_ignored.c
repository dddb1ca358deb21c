// Nobody looks at the result of trylock.
//
// EXPECT: race cache
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int cache;

static void *worker(void *arg)
{
    (void)arg;
    pthread_mutex_trylock(&m);
    cache = cache + 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
