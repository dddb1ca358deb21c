// A sequence lock over plain data: the reader throws away what it should not have read, but it has read it.
// EXPECT: race position
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static int position;

static void *writer(void *arg)
{
    unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);

    atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    position = 3;
    atomic_store_explicit(&sequence, s + 2, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t t;
    unsigned before, after;
    int seen;

    pthread_create(&t, 0, writer, 0);
    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        seen = position;
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while (before != after || before % 2);
    return seen;
}
