#include <pthread.h>

#include "metrics.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counters[METRICS_SLOTS];

void metrics_add(unsigned slot, long amount)
{
    pthread_mutex_lock(&lock);
    counters[slot % METRICS_SLOTS] += amount;
    pthread_mutex_unlock(&lock);
}

long metrics_total(void)
{
    long total = 0;

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < METRICS_SLOTS; i++)
        total += counters[i];
    pthread_mutex_unlock(&lock);
    return total;
}
