// EXPECT: race pool.executed
// EXPECT: safe pool.head
// EXPECT: safe pool.tail
// EXPECT: safe pool.depth
// EXPECT: safe pool.stopping
/* A thread pool that hands out futures: submit() returns one, future_get() waits for its value. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define POOL_THREADS 4

typedef long (*work_fn)(long);

typedef struct future {
    pthread_mutex_t mu;
    pthread_cond_t cv;
    int ready;
    long value;
} future_t;

typedef struct task {
    work_fn fn;
    long arg;
    future_t *fut;
    struct task *next;
} task_t;

typedef struct pool {
    pthread_mutex_t mu;
    pthread_cond_t nonempty;
    task_t *head, *tail;
    int depth;
    int stopping;
    unsigned long executed;
    pthread_t threads[POOL_THREADS];
} pool_t;

static pool_t pool;

static future_t *future_new(void)
{
    future_t *f = malloc(sizeof *f);
    if (!f) {
        perror("malloc");
        exit(1);
    }
    pthread_mutex_init(&f->mu, NULL);
    pthread_cond_init(&f->cv, NULL);
    f->ready = 0;
    f->value = 0;
    return f;
}

static void future_set(future_t *f, long v)
{
    pthread_mutex_lock(&f->mu);
    f->value = v;
    f->ready = 1;
    pthread_cond_signal(&f->cv);
    pthread_mutex_unlock(&f->mu);
}

static long future_get(future_t *f)
{
    long v;
    pthread_mutex_lock(&f->mu);
    while (!f->ready)
        pthread_cond_wait(&f->cv, &f->mu);
    v = f->value;
    pthread_mutex_unlock(&f->mu);
    return v;
}

static void *pool_worker(void *arg)
{
    pool_t *p = arg;
    for (;;) {
        pthread_mutex_lock(&p->mu);
        while (p->head == NULL && !p->stopping)
            pthread_cond_wait(&p->nonempty, &p->mu);
        if (p->head == NULL) {
            pthread_mutex_unlock(&p->mu);
            return NULL;
        }
        task_t *t = p->head;
        p->head = t->next;
        if (p->head == NULL)
            p->tail = NULL;
        p->depth--;
        pthread_mutex_unlock(&p->mu);

        future_set(t->fut, t->fn(t->arg));
        p->executed++; /* forgotten: outside the lock */
        free(t);
    }
}

static future_t *pool_submit(pool_t *p, work_fn fn, long arg)
{
    task_t *t = malloc(sizeof *t);
    if (!t)
        exit(1);
    t->fn = fn;
    t->arg = arg;
    t->fut = future_new();
    t->next = NULL;
    future_t *f = t->fut;
    pthread_mutex_lock(&p->mu);
    if (p->tail)
        p->tail->next = t;
    else
        p->head = t;
    p->tail = t;
    p->depth++;
    pthread_cond_signal(&p->nonempty);
    pthread_mutex_unlock(&p->mu);
    return f;
}

static long square(long x) { return x * x; }
static long half(long x) { return x / 2; }

int main(int argc, char **argv)
{
    int jobs = argc > 1 ? atoi(argv[1]) : 8;
    future_t *futures[16];
    long sum = 0;

    if (jobs < 1 || jobs > 16)
        jobs = 16;
    pthread_mutex_init(&pool.mu, NULL);
    pthread_cond_init(&pool.nonempty, NULL);
    for (int i = 0; i < POOL_THREADS; i++)
        if (pthread_create(&pool.threads[i], NULL, pool_worker, &pool) != 0) {
            fprintf(stderr, "cannot start worker %d\n", i);
            return 1;
        }
    for (int i = 0; i < jobs; i++)
        futures[i] = pool_submit(&pool, i % 2 ? square : half, i);
    for (int i = 0; i < jobs; i++) {
        sum += future_get(futures[i]);
        pthread_mutex_destroy(&futures[i]->mu);
        free(futures[i]);
    }
    pthread_mutex_lock(&pool.mu);
    pool.stopping = 1;
    pthread_cond_broadcast(&pool.nonempty);
    pthread_mutex_unlock(&pool.mu);
    for (int i = 0; i < POOL_THREADS; i++)
        pthread_join(pool.threads[i], NULL);
    printf("sum %ld after %lu jobs\n", sum, pool.executed);
    return 0;
}
