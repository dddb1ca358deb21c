// One mutex, initialised statically, around every access.
//
// EXPECT: safe hits
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void *worker(void *arg)
{
    int i;

    (void)arg;
    for (i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        hits++;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return hits;
}
