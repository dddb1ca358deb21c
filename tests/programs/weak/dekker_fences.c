// Dekker's core with relaxed accesses and a full fence between the store and the look at the other.
// EXPECT: safe goods
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b;
static int goods;

static void *first(void *arg)
{
    atomic_store_explicit(&a, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_load_explicit(&b, memory_order_relaxed))
        goods = 1;
    return arg;
}

static void *second(void *arg)
{
    atomic_store_explicit(&b, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_load_explicit(&a, memory_order_relaxed))
        goods = 2;
    return arg;
}

int main(void)
{
    pthread_t s, t;

    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    return 0;
}
