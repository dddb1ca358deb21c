// The consumer gives slots back with a relaxed store: the producer, which comes round a lap later, does not know that they were read.
// EXPECT: race ring.slot[]
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define SIZE 16

struct ring { atomic_uint head, tail; int slot[SIZE]; };

static struct ring ring;

static bool push(struct ring *r, int value)
{
    unsigned t = atomic_load_explicit(&r->tail, memory_order_relaxed), next = (t + 1) % SIZE;

    if (next == atomic_load_explicit(&r->head, memory_order_acquire))
        return false;
    r->slot[t] = value;
    atomic_store_explicit(&r->tail, next, memory_order_release);
    return true;
}

static bool pop(struct ring *r, int *value)
{
    unsigned h = atomic_load_explicit(&r->head, memory_order_relaxed);

    if (h == atomic_load_explicit(&r->tail, memory_order_acquire))
        return false;
    *value = r->slot[h];
    atomic_store_explicit(&r->head, (h + 1) % SIZE, memory_order_relaxed);
    return true;
}

static void *producer(void *arg)
{
    for (int i = 0; i < 1000; i++)
        while (!push(&ring, i))
            ;
    return arg;
}

static void *consumer(void *arg)
{
    int value, sum = 0;

    for (int i = 0; i < 1000; i++) {
        while (!pop(&ring, &value))
            ;
        sum += value;
    }
    return sum ? arg : 0;
}

int main(void)
{
    pthread_t p, c;

    pthread_create(&p, 0, producer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    return 0;
}
