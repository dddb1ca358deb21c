// An array of unknown size, the first half for one thread and the rest for another, which begins one too early.
// EXPECT: race malloc@main:29[]
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
static int size;
static double *samples;

static void *front(void *arg)
{
    for (int i = 0; i < size / 2; i++)
        samples[i] = 0.0;
    return arg;
}

static void *back(void *arg)
{
    for (int i = size / 2 - 1; i < size; i++)
        samples[i] = 1.0;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    size = __VERIFIER_nondet_int();
    if (size < 2 || size > 1 << 16) return 1;
    samples = malloc(size * sizeof *samples);
    if (!samples) return 1;
    pthread_create(&a, 0, front, 0);
    pthread_create(&b, 0, back, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    free(samples);
    return 0;
}
