// main joins if a flag says so, and reads only under the same flag.
//
// EXPECT: safe result
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
    int wait = nondet();

    pthread_create(&t, 0, worker, 0);
    if (wait)
        pthread_join(t, 0);
    if (wait)
        return result;
    return 0;
}
