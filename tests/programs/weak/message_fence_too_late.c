// The fence stands behind the store: it orders nothing that came before.
// EXPECT: race value
#include <pthread.h>
#include <stdatomic.h>

static int value;
static atomic_bool posted;

static void *poster(void *arg)
{
    value = 42;
    atomic_store_explicit(&posted, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    return arg;
}

static void *taker(void *arg)
{
    if (atomic_load_explicit(&posted, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        value++;
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, poster, 0);
    pthread_create(&b, 0, taker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return value;
}
