// The lock is taken under one condition and the access stands under another.
//
// EXPECT: race log_size
#include <pthread.h>

extern int nondet(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int log_size;

static void *worker(void *arg)
{
    int loud = nondet(), full = nondet();

    (void)arg;
    if (loud)
        pthread_mutex_lock(&m);
    if (full)
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
