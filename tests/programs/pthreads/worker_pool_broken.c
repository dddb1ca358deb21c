// A pool of workers made in a loop, all taking jobs from one counter.
//
// EXPECT: race next_job
// EXPECT: safe finished
//
// A worker looks whether there are jobs left before it takes the lock.
#include <pthread.h>
#include <stdlib.h>

#define JOBS 20
#define WORKERS 4

static int next_job, finished;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void do_job(int job)
{
    volatile int burn = 0;

    while (burn < job)
        burn++;
}

static int take_job(void)
{
    int job = -1;

    if (next_job >= JOBS)
        return -1;
    pthread_mutex_lock(&lock);
    if (next_job < JOBS)
        job = next_job++;
    pthread_mutex_unlock(&lock);
    return job;
}

static void *worker(void *arg)
{
    int job;

    (void)arg;
    while ((job = take_job()) >= 0) {
        do_job(job);
        pthread_mutex_lock(&lock);
        finished++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t pool[WORKERS];
    int i, done;

    next_job = 0;
    for (i = 0; i < WORKERS; i++) {
        if (pthread_create(&pool[i], NULL, worker, NULL))
            exit(1);
    }
    for (i = 0; i < WORKERS; i++)
        pthread_join(pool[i], NULL);
    pthread_mutex_lock(&lock);
    done = finished;
    pthread_mutex_unlock(&lock);
    return done == JOBS ? 0 : 1;
}
