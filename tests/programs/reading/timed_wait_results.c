// A timed wait ends in time or does not; what else it may give hangs on a time that is not valid. `sem_getvalue` gives 0.
// EXPECT: race late
// EXPECT: unknown refused
// EXPECT: safe neither
// EXPECT: unknown counted
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static int late, refused, neither, counted;

static void *waits(void *arg)
{
    struct timespec until = {0, 0};
    int value, e;

    pthread_mutex_lock(&m);
    e = pthread_cond_timedwait(&c, &m, &until);
    pthread_mutex_unlock(&m);
    if (e == ETIMEDOUT)
        late++;
    else if (e == EINVAL)
        refused++;
    else if (e != 0)
        neither++;
    if (sem_getvalue(&s, &value) != 0)
        counted++;
    return arg;
}

static void *writes(void *arg)
{
    late++, refused++, neither++, counted++;
    return arg;
}

int main(void)
{
    pthread_t a, b;

    sem_init(&s, 0, 0);
    pthread_create(&a, 0, waits, 0);
    pthread_create(&b, 0, writes, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
