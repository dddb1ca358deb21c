// A work queue under a mutex and a condition; the statistic is counted without the lock.
// EXPECT: race processed
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job { int id; char *payload; struct job *next; };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t nonempty;
    struct job *head, *tail;
    int length;
    int closed;
};

static struct queue q;
static unsigned long processed;   /* statistic */
static int max_length;

static void queue_init(struct queue *queue)
{
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->nonempty, NULL);
    queue->head = queue->tail = NULL;
    queue->length = 0;
    queue->closed = 0;
}

static int queue_push(struct queue *queue, int id, const char *text)
{
    struct job *j = malloc(sizeof *j);
    if (!j)
        return -1;
    j->id = id;
    j->payload = strdup(text);
    j->next = NULL;
    pthread_mutex_lock(&queue->lock);
    if (queue->tail)
        queue->tail->next = j;
    else
        queue->head = j;
    queue->tail = j;
    queue->length++;
    if (queue->length > max_length)
        max_length = queue->length;
    pthread_cond_signal(&queue->nonempty);
    pthread_mutex_unlock(&queue->lock);
    return 0;
}

static struct job *queue_pop(struct queue *queue)
{
    struct job *j;
    pthread_mutex_lock(&queue->lock);
    while (!queue->head && !queue->closed)
        pthread_cond_wait(&queue->nonempty, &queue->lock);
    j = queue->head;
    if (j) {
        queue->head = j->next;
        if (!queue->head)
            queue->tail = NULL;
        queue->length--;
    }
    pthread_mutex_unlock(&queue->lock);
    return j;
}

static void *worker(void *arg)
{
    struct job *j;
    int me = *(int *)arg;
    while ((j = queue_pop(&q)) != NULL) {
        printf("worker %d: job %d (%s)\n", me, j->id, j->payload);
        processed++;              /* not under the lock */
        free(j->payload);
        free(j);
    }
    return NULL;
}

#define WORKERS 4

int main(int argc, char **argv)
{
    pthread_t t[WORKERS];
    int ids[WORKERS];
    int i, n = argc > 1 ? atoi(argv[1]) : 100;
    char text[32];

    queue_init(&q);
    for (i = 0; i < WORKERS; i++) {
        ids[i] = i;
        if (pthread_create(&t[i], NULL, worker, &ids[i]) != 0) {
            perror("pthread_create");
            return 1;
        }
    }
    for (i = 0; i < n; i++) {
        snprintf(text, sizeof text, "task %d", i);
        queue_push(&q, i, text);
        if (i % 10 == 0)
            printf("%lu done\n", processed);
    }
    pthread_mutex_lock(&q.lock);
    q.closed = 1;
    pthread_cond_broadcast(&q.nonempty);
    pthread_mutex_unlock(&q.lock);
    for (i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    printf("processed %lu, longest queue %d\n", processed, max_length);
    return 0;
}
