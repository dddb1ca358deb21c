// A local of main that the thread gets a pointer to; main uses it only after joining.
//
// EXPECT: safe main::buffer
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
    pthread_join(t, 0);
    return buffer;
}
