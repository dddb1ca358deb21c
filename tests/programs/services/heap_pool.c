// EXPECT: race calloc@pool_create:34.done
// A pool of threads on the heap, made and destroyed by functions of its own; its handles are in an array that it owns.
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
typedef struct task { void (*run)(int); int arg; struct task *next; } task_t;
typedef struct pool {
    pthread_mutex_t mu; pthread_cond_t cv;
    task_t *head, *tail; int stop; int nthreads; long done;
    pthread_t *threads;
} pool_t;
static void *loop(void *arg) {
    pool_t *p = arg;
    for (;;) {
        pthread_mutex_lock(&p->mu);
        while (!p->head && !p->stop) pthread_cond_wait(&p->cv, &p->mu);
        if (!p->head) { pthread_mutex_unlock(&p->mu); return NULL; }
        task_t *t = p->head;
        p->head = t->next;
        if (!p->head) p->tail = NULL;
        pthread_mutex_unlock(&p->mu);
        t->run(t->arg);
        free(t);
#ifdef FIXED
        pthread_mutex_lock(&p->mu);
#endif
        p->done++;
#ifdef FIXED
        pthread_mutex_unlock(&p->mu);
#endif
    }
}
static pool_t *pool_create(int n) {
    pool_t *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    pthread_mutex_init(&p->mu, NULL);
    pthread_cond_init(&p->cv, NULL);
    p->nthreads = n;
    p->threads = malloc(n * sizeof(pthread_t));
    if (!p->threads) { free(p); return NULL; }
    for (int i = 0; i < n; i++)
        pthread_create(&p->threads[i], NULL, loop, p);
    return p;
}
static int pool_submit(pool_t *p, void (*run)(int), int arg) {
    task_t *t = malloc(sizeof *t);
    if (!t) return -1;
    t->run = run; t->arg = arg; t->next = NULL;
    pthread_mutex_lock(&p->mu);
    if (p->tail) p->tail->next = t; else p->head = t;
    p->tail = t;
    pthread_cond_signal(&p->cv);
    pthread_mutex_unlock(&p->mu);
    return 0;
}
static void pool_destroy(pool_t *p) {
    pthread_mutex_lock(&p->mu);
    p->stop = 1;
    pthread_cond_broadcast(&p->cv);
    pthread_mutex_unlock(&p->mu);
    for (int i = 0; i < p->nthreads; i++) pthread_join(p->threads[i], NULL);
    printf("%ld\n", p->done);
    free(p->threads);
    pthread_mutex_destroy(&p->mu);
    free(p);
}
static pthread_mutex_t out = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static void add(int x) { pthread_mutex_lock(&out); sum += x; pthread_mutex_unlock(&out); }
int main(void) {
    pool_t *p = pool_create(4);
    if (!p) return 1;
    for (int i = 0; i < 100; i++) pool_submit(p, add, i);
    pool_destroy(p);
    printf("%ld\n", sum);
    return 0;
}
