// Lock and unlock in helpers that take the mutex as an argument.
//
// EXPECT: safe first
// EXPECT: safe second
#include <pthread.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void enter(pthread_mutex_t *m)
{
    pthread_mutex_lock(m);
}

static void leave(pthread_mutex_t *m)
{
    pthread_mutex_unlock(m);
}

static void *worker(void *arg)
{
    (void)arg;
    enter(&one);
    first++;
    enter(&two);
    second = first;
    leave(&two);
    leave(&one);
    return 0;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, worker, 0);
    enter(&one);
    first = 3;
    leave(&one);
    enter(&two);
    second = 3;
    leave(&two);
    return 0;
}
