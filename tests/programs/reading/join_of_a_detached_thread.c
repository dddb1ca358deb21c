// A thread that was detached is not waited for.
// EXPECT: unknown x
#include <pthread.h>

int x;

void *worker(void *arg)
{
    x = 1;
    return arg;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, worker, 0);
    pthread_detach(a);
    pthread_join(a, 0);
    x = 2;
    return 0;
}
