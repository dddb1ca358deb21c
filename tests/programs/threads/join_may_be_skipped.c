// main joins only if a flag says so, and reads in any case.
//
// EXPECT: race result
#include <pthread.h>

extern int nondet(void);
static int result;

static void *worker(void *arg)
{
    (void)arg;
    result = 42;
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, worker, 0);
    if (nondet())
        pthread_join(t, 0);
    return result;
}
