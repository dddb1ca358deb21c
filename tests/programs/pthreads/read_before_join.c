// A worker computes a result, main uses it.
//
// EXPECT: race result
// EXPECT: safe input
//
// input is written before the worker exists.
// main reads the result before the join.
#include <pthread.h>
#include <stdio.h>

static int input, result;

static int collatz(int n)
{
    int steps = 0;

    while (n > 1 && steps < 1000) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}

static void *worker(void *arg)
{
    (void)arg;
    result = collatz(input);
    return NULL;
}

int main(void)
{
    pthread_t t;
    int r;

    input = 27;
    if (pthread_create(&t, NULL, worker, NULL) != 0)
        return 1;
    r = result;
    pthread_join(t, NULL);
    printf("%d steps\n", r);
    return 0;
}
