// Both threads get the same index.
//
// EXPECT: race half[]
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

    pthread_create(&a, 0, worker, (void *)1L);
    pthread_create(&b, 0, worker, (void *)1L);
    return 0;
}
