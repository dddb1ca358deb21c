// main reads its local while the thread may write it.
//
// EXPECT: race main::buffer
#include <pthread.h>

static void *worker(void *arg)
{
    *(int *)arg = 3;
    return 0;
}

int main(void)
{
    pthread_t t;
    int buffer = 1;

    pthread_create(&t, 0, worker, &buffer);
    buffer++;
    pthread_join(t, 0);
    return buffer;
}
