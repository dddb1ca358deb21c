// The program has no race if pick() never returns 31; nothing is known about it, so no race is reported.
// EXPECT: unknown slots[]
#include <pthread.h>

extern int pick(void);
int slots[32];

void *worker(void *arg)
{
    if (pick() == 31)
        slots[31] = 1;
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
