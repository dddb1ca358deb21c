// Operators of _Atomic objects are sequentially consistent, whatever orders others have.
// EXPECT: safe result
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int state;
static _Atomic long hits;
static int result;

static void *worker(void *arg)
{
    atomic_fetch_add_explicit(&hits, 1, memory_order_relaxed);
    result = 9;
    state = 1;
    return arg;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, worker, 0);
    hits++;
    while (state != 1)
        ;
    return result;
}
