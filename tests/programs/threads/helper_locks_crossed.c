// The helpers are called with the two mutexes exchanged in main.
//
// EXPECT: race first
// EXPECT: race second
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
    leave(&one);
    enter(&two);
    second++;
    leave(&two);
    return 0;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, worker, 0);
    enter(&two);
    first = 3;
    leave(&two);
    enter(&one);
    second = 3;
    leave(&one);
    return 0;
}
