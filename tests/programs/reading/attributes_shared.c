// Attributes are plain objects, and so is what `pthread_setcanceltype` and `sem_getvalue` write.
// EXPECT: race threads
// EXPECT: race mutexes
// EXPECT: race old
// EXPECT: race mine
#include <pthread.h>

pthread_attr_t threads;
pthread_mutexattr_t mutexes;
pthread_condattr_t mine;
int old;

void *worker(void *arg)
{
    pthread_attr_init(&threads);
    pthread_mutexattr_init(&mutexes);
    pthread_condattr_init(&mine);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old);
    return arg;
}

int main(void)
{
    pthread_t t, u;

    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, &threads, worker, 0);
    pthread_mutexattr_settype(&mutexes, PTHREAD_MUTEX_RECURSIVE);
    return old;
}
