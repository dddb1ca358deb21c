// The exit handlers run when the last thread has ended: no race, and none is reported.
// EXPECT: unknown x
#include <pthread.h>
#include <stdlib.h>

int x;

void bye(void)
{
    x = 1;
}

void *worker(void *arg)
{
    x = 2;
    return arg;
}

int main(void)
{
    pthread_t a;

    atexit(bye);
    pthread_create(&a, 0, worker, 0);
    pthread_exit(0);
}
