// As job_heap.c, with the last job told under the mutex of the count.
// EXPECT: safe last_finished
// EXPECT: safe finished_total
// EXPECT: safe q.heap[]
// EXPECT: safe q.len
// EXPECT: safe q.shutdown
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CAP 64

typedef enum { JOB_QUEUED, JOB_RUNNING, JOB_DONE, JOB_CANCELLED } job_state;

typedef struct job {
    int id;
    int prio;
    job_state state;
    int result;
} job;

typedef struct {
    pthread_mutex_t mu;
    pthread_cond_t cv;
    job *heap[CAP];
    size_t len;
    int shutdown;
} jobq;

static jobq q = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0 };
static int finished_total;
static pthread_mutex_t finished_mu = PTHREAD_MUTEX_INITIALIZER;
static int last_finished = -1;

static void swap(size_t a, size_t b) { job *t = q.heap[a]; q.heap[a] = q.heap[b]; q.heap[b] = t; }

static int jobq_push(job *j)
{
    int rc = -1;
    pthread_mutex_lock(&q.mu);
    if (q.len == CAP || q.shutdown)
        goto unlock;
    size_t i = q.len++;
    q.heap[i] = j;
    while (i > 0 && q.heap[(i - 1) / 2]->prio < q.heap[i]->prio) {
        swap(i, (i - 1) / 2);
        i = (i - 1) / 2;
    }
    rc = 0;
    pthread_cond_signal(&q.cv);
unlock:
    pthread_mutex_unlock(&q.mu);
    return rc;
}

static job *jobq_pop(void)
{
    job *top = NULL;
    pthread_mutex_lock(&q.mu);
    while (q.len == 0 && !q.shutdown)
        pthread_cond_wait(&q.cv, &q.mu);
    if (q.len > 0) {
        size_t i = 0;
        top = q.heap[0];
        top->state = JOB_RUNNING;
        q.heap[0] = q.heap[--q.len];
        for (;;) {
            size_t l = 2 * i + 1, r = l + 1, m = i;
            if (l < q.len && q.heap[l]->prio > q.heap[m]->prio) m = l;
            if (r < q.len && q.heap[r]->prio > q.heap[m]->prio) m = r;
            if (m == i) break;
            swap(i, m);
            i = m;
        }
    }
    pthread_mutex_unlock(&q.mu);
    return top;
}

static void *runner(void *unused)
{
    job *j;
    while ((j = jobq_pop()) != NULL) {
        int r = 0;
        for (int k = 0; k < j->prio; k++)
            r += k * j->id;
        usleep(100);
        pthread_mutex_lock(&q.mu);
        j->result = r;
        j->state = JOB_DONE;
        pthread_mutex_unlock(&q.mu);
        pthread_mutex_lock(&finished_mu);
        last_finished = j->id;
        finished_total++;
        pthread_mutex_unlock(&finished_mu);
    }
    return unused;
}

static int cmp_result(const void *a, const void *b)
{
    const job *x = a, *y = b;
    return (x->result > y->result) - (x->result < y->result);
}

int main(void)
{
    pthread_t t[3];
    static job jobs[20];
    int i, n = 0;
    for (i = 0; i < 3; i++)
        if (pthread_create(&t[i], NULL, runner, NULL) != 0) {
            perror("pthread_create");
            exit(EXIT_FAILURE);
        }
    for (i = 0; i < 20; i++) {
        jobs[i].id = i;
        jobs[i].prio = (i * 37) % 11;
        if (jobq_push(&jobs[i]) < 0)
            fprintf(stderr, "queue full\n");
    }
    while (n < 20) {
        pthread_mutex_lock(&finished_mu);
        n = finished_total;
        int last = last_finished;
        pthread_mutex_unlock(&finished_mu);
        if (last >= 0)
            printf("\r%d (last %d)", n, last);
        usleep(1000);
    }
    pthread_mutex_lock(&q.mu);
    q.shutdown = 1;
    pthread_cond_broadcast(&q.cv);
    pthread_mutex_unlock(&q.mu);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    qsort(jobs, 20, sizeof(job), cmp_result);
    printf("\nbest %d\n", jobs[19].result);
    return 0;
}
