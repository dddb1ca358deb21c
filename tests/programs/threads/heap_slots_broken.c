// A slot on the heap for each of as many threads as the input says, but two threads are told the same number.
//
// EXPECT: race malloc@main:23[]
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int *slots;

void *worker(void *arg)
{
    int i = (int)(long)arg;
    slots[i] = 2 * i;
    return NULL;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 1;
    slots = malloc(n * sizeof *slots);
    pthread_t *ids = malloc(n * sizeof *ids);
    for (int i = 0; i < n; i++)
        pthread_create(&ids[i], NULL, worker, (void *)(long)(i / 2));
    for (int i = 0; i < n; i++)
        pthread_join(ids[i], NULL);
    int first = slots[0];
    free(slots);
    free(ids);
    return first;
}
