// The pointer is a local of main whose address another thread has.
// EXPECT: race a1
// EXPECT: safe a0
#include <pthread.h>

int a0, a1;

void *t2(void *arg)
{
    *(int *_Atomic *)arg = &a1;
    a1 = 1;
    return 0;
}

int main(void)
{
    pthread_t b;
    int *_Atomic own = &a0;

    pthread_create(&b, 0, t2, (void *)&own);
    own = &a0;
    *own = 5;
    pthread_join(b, 0);
    return 0;
}
