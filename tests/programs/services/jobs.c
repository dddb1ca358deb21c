// EXPECT: race longest
/* Jobs are created on the heap, queued, done by whoever takes them, and their results collected. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct job {
    int input;
    long result;
    struct job *next;
} job_t;

typedef struct {
    job_t *head;
    pthread_mutex_t lock;
    pthread_cond_t more;
    int closed;
} list_t;

static list_t todo = { NULL, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
static list_t finished = { NULL, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
static int longest;

static void list_push(list_t *l, job_t *j)
{
    pthread_mutex_lock(&l->lock);
    j->next = l->head;
    l->head = j;
    pthread_cond_signal(&l->more);
    pthread_mutex_unlock(&l->lock);
}

static job_t *list_pop(list_t *l)
{
    job_t *j;
    pthread_mutex_lock(&l->lock);
    while (l->head == NULL && !l->closed)
        pthread_cond_wait(&l->more, &l->lock);
    j = l->head;
    if (j != NULL)
        l->head = j->next;
    pthread_mutex_unlock(&l->lock);
    return j;
}

static void list_close(list_t *l)
{
    pthread_mutex_lock(&l->lock);
    l->closed = 1;
    pthread_cond_broadcast(&l->more);
    pthread_mutex_unlock(&l->lock);
}

static void *worker(void *arg)
{
    job_t *j;
    (void)arg;
    while ((j = list_pop(&todo)) != NULL) {
        long r = 1;
        for (int i = 2; i <= j->input; i++)
            r *= i;
        j->result = r;
#ifndef FIXED
        if (j->input > longest)
            longest = j->input;
#endif
        list_push(&finished, j);
    }
    return NULL;
}

int main(void)
{
    pthread_t w[3];
    job_t *j;
    long sum = 0;
    int i;
    for (i = 0; i < 3; i++)
        pthread_create(&w[i], NULL, worker, NULL);
    for (i = 0; i < 12; i++) {
        j = malloc(sizeof *j);
        if (j == NULL)
            break;
        j->input = i;
        j->result = 0;
        list_push(&todo, j);
    }
    list_close(&todo);
    for (i = 0; i < 3; i++)
        pthread_join(w[i], NULL);
    list_close(&finished);
    while ((j = list_pop(&finished)) != NULL) {
        sum += j->result;
        free(j);
    }
    printf("%ld %d\n", sum, longest);
    return 0;
}
