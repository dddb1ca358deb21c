// The address is published, but nobody follows it.
// EXPECT: safe mine
// EXPECT: safe shared
#include <pthread.h>

_Thread_local int mine;
int *shared;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *t1(void *arg)
{
    pthread_mutex_lock(&m);
    shared = &mine;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    mine = 1;
    pthread_mutex_unlock(&m);
    mine = 2;
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, t1, 0);
    pthread_create(&b, 0, t1, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
