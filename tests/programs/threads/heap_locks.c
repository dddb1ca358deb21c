// As many locks as cells, both from the heap: cell i is touched with lock i held, whichever thread it is.
//
// EXPECT: safe malloc@main:28[]
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

pthread_mutex_t *locks;
int *cells;
int n;

void *worker(void *arg)
{
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i >= n)
        return NULL;
    pthread_mutex_lock(&locks[i]);
    cells[i]++;
    pthread_mutex_unlock(&locks[i]);
    return NULL;
}

int main(void)
{
    n = 100;
    locks = malloc(n * sizeof *locks);
    cells = malloc(n * sizeof *cells);
    for (int i = 0; i < n; i++) {
        pthread_mutex_init(&locks[i], NULL);
        cells[i] = 0;
    }
    while (__VERIFIER_nondet_int()) {
        pthread_t id;
        pthread_create(&id, NULL, worker, NULL);
    }
    return 0;
}
