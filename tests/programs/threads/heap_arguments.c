// Each thread is given a struct of its own in an array on the heap, which main fills before it creates the thread.
//
// EXPECT: safe malloc@main:27[].number
// EXPECT: safe malloc@main:27[].result
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct job {
    int number;
    int result;
};

void *worker(void *arg)
{
    struct job *j = arg;
    j->result = 2 * j->number;
    return NULL;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000)
        return 1;
    struct job *jobs = malloc(n * sizeof *jobs);
    pthread_t *ids = malloc(n * sizeof *ids);
    for (int i = 0; i < n; i++) {
        jobs[i].number = i;
        pthread_create(&ids[i], NULL, worker, &jobs[i]);
    }
    for (int i = 0; i < n; i++)
        pthread_join(ids[i], NULL);
    int first = jobs[0].result;
    free(jobs);
    return first;
}
