// The worker goes on writing after it has created the logger.
//
// EXPECT: safe setup
// EXPECT: race line
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
    pthread_create(&t, 0, logger, 0);
    line = 1;
    return 0;
}

int main(void)
{
    pthread_t t;

    setup = 5;
    pthread_create(&t, 0, worker, 0);
    return 0;
}
