// The worker creates the logger: what main wrote before the worker is ordered before the logger too.
//
// EXPECT: safe setup
// EXPECT: safe line
#include <pthread.h>

static int setup, line;

static void *logger(void *arg)
{
    (void)arg;
    line = setup;
    return 0;
}

static void *worker(void *arg)
{
    pthread_t t;

    (void)arg;
    line = 1;
    pthread_create(&t, 0, logger, 0);
    return 0;
}

int main(void)
{
    pthread_t t;

    setup = 5;
    pthread_create(&t, 0, worker, 0);
    return 0;
}
