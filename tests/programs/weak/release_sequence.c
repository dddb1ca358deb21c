// A third thread's relaxed read-modify-write does not break the release sequence: who acquires its value sees the first one's data.
// EXPECT: safe data
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int stage;

static void *maker(void *arg)
{
    data = 1;
    atomic_store_explicit(&stage, 1, memory_order_release);
    return arg;
}

static void *approver(void *arg)
{
    int expected = 1;

    atomic_compare_exchange_strong_explicit(&stage, &expected, 2, memory_order_relaxed, memory_order_relaxed);
    return arg;
}

static void *user(void *arg)
{
    if (atomic_load_explicit(&stage, memory_order_acquire) == 2)
        data++;
    return arg;
}

int main(void)
{
    pthread_t a, b, c;

    pthread_create(&a, 0, maker, 0);
    pthread_create(&b, 0, approver, 0);
    pthread_create(&c, 0, user, 0);
    return 0;
}
