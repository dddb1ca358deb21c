// A shared pointer may have been set by another thread since this one stored to it.
// EXPECT: race a1
// EXPECT: safe a0
// EXPECT: safe g
#include <pthread.h>

int a0, a1;
_Atomic(int *) g;

void *t1(void *arg)
{
    g = &a0;
    *g = 2;
    return arg;
}

void *t2(void *arg)
{
    g = &a1;
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
