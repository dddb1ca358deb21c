// The race does not depend on what the function returns.
// EXPECT: race count
#include <pthread.h>

extern int pick(void);
int count;

void *worker(void *arg)
{
    int first = pick();

    count += first;
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
