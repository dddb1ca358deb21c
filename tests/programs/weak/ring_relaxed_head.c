// The producer looks at the other index with a relaxed load: it may overwrite what is being read.
// EXPECT: race slot[]
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 4u

static int slot[SIZE];
static atomic_uint head, tail;

static void *producer(void *arg)
{
    for (int i = 0; i < 1000; i++) {
        unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
        while (t - atomic_load_explicit(&head, memory_order_relaxed) == SIZE)
            ;
        slot[t % SIZE] = i;
        atomic_store_explicit(&tail, t + 1, memory_order_release);
    }
    return arg;
}

static void *consumer(void *arg)
{
    long sum = 0;

    for (int i = 0; i < 1000; i++) {
        unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
        while (h == atomic_load_explicit(&tail, memory_order_acquire))
            ;
        sum += slot[h % SIZE];
        atomic_store_explicit(&head, h + 1, memory_order_release);
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
