// Counters that nobody draws conclusions from may be relaxed.
// EXPECT: safe requests
// EXPECT: safe failures
// EXPECT: safe last
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_ulong requests, failures;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int last;

extern int serve(void);

static void *server(void *arg)
{
    while (atomic_load_explicit(&requests, memory_order_relaxed) < 100000) {
        int status = serve();
        atomic_fetch_add_explicit(&requests, 1, memory_order_relaxed);
        if (status)
            atomic_fetch_add_explicit(&failures, 1, memory_order_relaxed);
        pthread_mutex_lock(&m);
        last = status;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t;

    for (int i = 0; i < 64; i++)
        pthread_create(&t, 0, server, 0);
    printf("%lu of %lu failed\n", atomic_load_explicit(&failures, memory_order_relaxed),
           atomic_load_explicit(&requests, memory_order_relaxed));
    return 0;
}
