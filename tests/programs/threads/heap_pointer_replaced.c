// main replaces the pointer while the threads read it.
//
// EXPECT: race pool
#include <pthread.h>
#include <stdlib.h>
static int *pool;

static void *worker(void *arg)
{
    (void)arg;
    return pool ? arg : 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, worker, 0);
    pool = malloc(sizeof *pool);
    return 0;
}
