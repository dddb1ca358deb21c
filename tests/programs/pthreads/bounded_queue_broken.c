// A bounded queue in a struct with its own mutex, two producers and a consumer, and statistics read at the end.
//
// EXPECT: safe queue.items[]
// EXPECT: safe queue.head
// EXPECT: race queue.count
// EXPECT: safe consumed
//
// Every access to the queue holds its mutex; consumed belongs to the consumer until main has joined it.
// queue_full looks at the count without the mutex.
#include <pthread.h>
#include <stdio.h>

#define CAPACITY 4
#define PER_PRODUCER 10

struct queue {
    pthread_mutex_t lock;
    int items[CAPACITY];
    unsigned head, count;
};

static struct queue queue;
static long consumed;

static void queue_init(struct queue *q)
{
    pthread_mutex_init(&q->lock, NULL);
    q->head = 0;
    q->count = 0;
}

static int queue_full(struct queue *q)
{
    int full;

    full = q->count == CAPACITY;
    return full;
}

static int queue_put(struct queue *q, int v)
{
    int ok = 0;

    pthread_mutex_lock(&q->lock);
    if (q->count < CAPACITY) {
        q->items[(q->head + q->count) % CAPACITY] = v;
        q->count++;
        ok = 1;
    }
    pthread_mutex_unlock(&q->lock);
    return ok;
}

static int queue_get(struct queue *q, int *v)
{
    int ok = 0;

    pthread_mutex_lock(&q->lock);
    if (q->count > 0) {
        *v = q->items[q->head];
        q->head = (q->head + 1) % CAPACITY;
        q->count--;
        ok = 1;
    }
    pthread_mutex_unlock(&q->lock);
    return ok;
}

static void *producer(void *arg)
{
    int i;

    (void)arg;
    for (i = 0; i < PER_PRODUCER; i++) {
        while (queue_full(&queue) || !queue_put(&queue, i)) {
        }
    }
    return NULL;
}

static void *consumer(void *arg)
{
    int left = 2 * PER_PRODUCER, v;

    (void)arg;
    while (left > 0) {
        if (queue_get(&queue, &v)) {
            consumed += v;
            left--;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t p1, p2, c;

    queue_init(&queue);
    pthread_create(&p1, NULL, producer, NULL);
    pthread_create(&p2, NULL, producer, NULL);
    pthread_create(&c, NULL, consumer, NULL);
    pthread_join(p1, NULL);
    pthread_join(p2, NULL);
    pthread_join(c, NULL);
    printf("%ld\n", consumed);
    pthread_mutex_destroy(&queue.lock);
    return consumed == 90 ? 0 : 1;
}
