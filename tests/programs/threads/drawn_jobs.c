// Workers draw the number of the next job under a lock and then own that job; who finds none left gets -1.
// EXPECT: safe jobs[].result
// EXPECT: safe next_job
#include <pthread.h>

#define JOBS 100

struct job { int input, result; };
static struct job jobs[JOBS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_job;

static int take(void)
{
    int number = -1;

    pthread_mutex_lock(&lock);
    if (next_job < JOBS)
        number = next_job++;
    pthread_mutex_unlock(&lock);
    return number;
}

static void *worker(void *arg)
{
    int i;

    while ((i = take()) >= 0)
        jobs[i].result = 2 * jobs[i].input;
    return arg;
}

int main(void)
{
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return jobs[0].result;
}
