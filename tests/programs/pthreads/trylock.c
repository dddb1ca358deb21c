// A statistics thread that skips its turn when the lock is taken.
//
// EXPECT: safe stats.sum
// EXPECT: safe stats.samples
//
// trylock returns 0 to the one that got the mutex.
#include <pthread.h>

struct statistics {
    long sum;
    int samples;
};

static struct statistics stats;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void *sampler(void *arg)
{
    int i;

    (void)arg;
    for (i = 0; i < 50; i++) {
        pthread_mutex_lock(&guard);
        stats.sum += i;
        stats.samples++;
        pthread_mutex_unlock(&guard);
    }
    return 0;
}

int main(void)
{
    pthread_t t;
    long mean = 0;
    int i;

    pthread_create(&t, 0, sampler, 0);
    for (i = 0; i < 10; i++) {
        if (pthread_mutex_trylock(&guard) == 0) {
            if (stats.samples > 0)
                mean = stats.sum / stats.samples;
            pthread_mutex_unlock(&guard);
        }
    }
    pthread_join(t, 0);
    return (int)mean;
}
