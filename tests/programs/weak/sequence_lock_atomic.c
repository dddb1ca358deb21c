// A sequence lock whose data are atomic themselves: readers that come at the wrong time try again, and nothing races.
// EXPECT: safe x
// EXPECT: safe y
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int x, y;

static void *writer(void *arg)
{
    for (int i = 1; i < 10; i++) {
        unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);
        atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&x, i, memory_order_relaxed);
        atomic_store_explicit(&y, -i, memory_order_relaxed);
        atomic_store_explicit(&sequence, s + 2, memory_order_release);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    unsigned before, after;
    int a, b;

    pthread_create(&t, 0, writer, 0);
    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        a = atomic_load_explicit(&x, memory_order_relaxed);
        b = atomic_load_explicit(&y, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while (before != after || before % 2);
    return a + b;
}
