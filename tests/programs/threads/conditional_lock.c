// The lock is taken and given back under the same local condition, and the access is under it too.
//
// EXPECT: safe log_size
#include <pthread.h>

extern int nondet(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int log_size;

static void *worker(void *arg)
{
    int loud = nondet();

    (void)arg;
    if (loud)
        pthread_mutex_lock(&m);
    if (loud)
        log_size++;
    if (loud)
        pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
