// The result of trylock goes through a local into a flag that is tested twice.
//
// EXPECT: safe cache
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int cache;

static void *worker(void *arg)
{
    int got = pthread_mutex_trylock(&m) == 0;

    (void)arg;
    if (got)
        cache = cache + 1;
    if (got)
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
