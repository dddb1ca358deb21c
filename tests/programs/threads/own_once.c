// A home-made once with an unprotected test.
//
// EXPECT: race filled
#include <pthread.h>

static int filled, table;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    (void)arg;
    if (!filled) {
        pthread_mutex_lock(&m);
        table = 99;
        filled = 1;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
