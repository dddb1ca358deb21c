// Two functions on meters that callers share, each with a lock of its own; text is the caller's own.
// EXPECT: safe argument@meter[].total
#include <pthread.h>

struct meter {
    pthread_mutex_t lock;
    long total;
};

static _Thread_local long last;

void meter_add(struct meter *m, long amount, char *text)
{
    pthread_mutex_lock(&m->lock);
    m->total += amount;
    last = m->total;
    pthread_mutex_unlock(&m->lock);
    text[0] = amount < 0 ? '-' : '+';
}

void meter_reset(struct meter *m)
{
    pthread_mutex_lock(&m->lock);
    m->total = 0;
    pthread_mutex_unlock(&m->lock);
}
