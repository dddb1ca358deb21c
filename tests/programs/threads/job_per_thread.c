// Each thread gets a job of its own, allocated for it, with a pointer to the element of an array that takes its result.
// EXPECT: safe results[]
// EXPECT: safe malloc@main:29.result
#include <pthread.h>
#include <stdlib.h>

struct job { int *result; int count; };
static int results[2];

static void *run(void *arg)
{
    struct job *job = arg;
    int sum = 0;

    for (int i = 0; i < job->count; i++)
        sum += i;
    *job->result = sum;
    free(job);
    return 0;
}

int main(void)
{
    pthread_t t[2];
    int sum = 0;

    for (int i = 0; i < 2; i++) {
        struct job *job;
        job = malloc(sizeof *job);
        if (job == NULL) return 1;
        job->result = &results[i];
        job->count = 10 * i;
        pthread_create(&t[i], 0, run, job);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], 0);
        sum += results[i];
    }
    return sum;
}
