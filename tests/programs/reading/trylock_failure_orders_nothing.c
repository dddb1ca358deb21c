// That the other thread has the lock says nothing about what it did before: a failed attempt synchronises with nothing.
// EXPECT: unknown x
#include <pthread.h>

int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg)
{
    x = 1;
    pthread_mutex_lock(&m);
    for (;;)
        ;
    return arg;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, worker, 0);
    if (pthread_mutex_trylock(&m) != 0)
        x = 2;
    return 0;
}
