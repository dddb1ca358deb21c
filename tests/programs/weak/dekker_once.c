// The core of Dekker's algorithm, each thread once: seq_cst stores before seq_cst loads.
// EXPECT: safe goods
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b;
static atomic_int misses;
static int goods;

static void *first(void *arg)
{
    atomic_store_explicit(&a, 1, memory_order_seq_cst);
    if (!atomic_load_explicit(&b, memory_order_seq_cst))
        goods = 1;
    else
        atomic_fetch_add_explicit(&misses, 1, memory_order_relaxed);
    return arg;
}

static void *second(void *arg)
{
    atomic_store_explicit(&b, 1, memory_order_seq_cst);
    if (!atomic_load_explicit(&a, memory_order_seq_cst))
        goods = 2;
    else
        atomic_fetch_add_explicit(&misses, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t s, t;

    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    return 0;
}
