// Two threads with constant indices.
//
// EXPECT: safe half[]
#include <pthread.h>

static int half[2];

static void *worker(void *arg)
{
    long me = (long)arg;

    half[me] = 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, worker, (void *)0L);
    pthread_create(&b, 0, worker, (void *)1L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return half[0] + half[1];
}
