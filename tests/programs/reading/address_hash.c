// Two addresses may have the same hash or not, one address has one: the lock of `mine` is always the same.
// EXPECT: unknown theirs
// EXPECT: safe mine
#include <pthread.h>
#include <stdint.h>

int a, b, mine, theirs;
pthread_mutex_t stripes[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                              PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t *stripe(void *p)
{
    return &stripes[((uintptr_t)p >> 4) % 4];
}

void *first(void *arg)
{
    pthread_mutex_lock(stripe(&a));
    mine++;
    theirs++;
    pthread_mutex_unlock(stripe(&a));
    return 0;
}

void *second(void *arg)
{
    pthread_mutex_lock(stripe(&a));
    mine++;
    pthread_mutex_unlock(stripe(&a));
    pthread_mutex_lock(stripe(&b));
    theirs++;
    pthread_mutex_unlock(stripe(&b));
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
