// Which mutex a shared pointer means is decided when it is read, not when this thread last stored to it.
// EXPECT: race x
// EXPECT: safe l
#include <pthread.h>

pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t *_Atomic l;
int x;

void *t1(void *arg)
{
    pthread_mutex_t *taken;

    l = &m0;
    taken = l;
    pthread_mutex_lock(taken);
    x = 1;
    pthread_mutex_unlock(taken);
    return arg;
}

void *t2(void *arg)
{
    l = &m1;
    pthread_mutex_lock(&m0);
    x = 2;
    pthread_mutex_unlock(&m0);
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, t1, 0);
    pthread_create(&b, 0, t2, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
