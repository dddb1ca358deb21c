// Each of three threads has a block of the array; how long blocks are is known when the program runs.
// EXPECT: safe calloc@main:27[]
#include <pthread.h>
#include <stdlib.h>

#define THREADS 3
extern int __VERIFIER_nondet_int(void);
static int block;
static int *cells;

static void *fill(void *arg)
{
    int id = (int)(long)arg;
    int end = (id + 1) * block;

    for (int i = id * block; i < end; i++)
        cells[i] = id;
    return 0;
}

int main(void)
{
    pthread_t t[THREADS];

    block = __VERIFIER_nondet_int();
    if (block <= 0 || block >= 5000) return 0;
    cells = calloc(block * THREADS + 1, sizeof(int));
    for (long i = 0; i < THREADS; i++) pthread_create(&t[i], 0, fill, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], 0);
    return cells[block];
}
