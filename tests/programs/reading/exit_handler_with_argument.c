// A handler of `on_exit` gets its argument: here the other thread still runs when `main` returns.
// EXPECT: race x
// EXPECT: safe y
#include <pthread.h>
#include <stdlib.h>

int x, y;

void at_the_end(int status, void *arg)
{
    *(int *)arg = status;
}

void *worker(void *arg)
{
    x++;
    y++;
    return arg;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, worker, 0);
    on_exit(at_the_end, &x);
    return 0;
}
