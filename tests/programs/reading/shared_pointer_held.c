// The lock is held from the store to the use: the pointer is still this thread's own.
// EXPECT: safe a1
// EXPECT: safe a0
// EXPECT: safe g
#include <pthread.h>

int a0, a1;
int *g;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *t1(void *arg)
{
    pthread_mutex_lock(&m);
    g = &a0;
    *g = 2;
    pthread_mutex_unlock(&m);
    return arg;
}

void *t2(void *arg)
{
    pthread_mutex_lock(&m);
    g = &a1;
    pthread_mutex_unlock(&m);
    a1 = 1;
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
