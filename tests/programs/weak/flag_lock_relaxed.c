// atomic_flag as a lock whose release is relaxed.
// EXPECT: race log_size
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
static int log_size;

static void *logger(void *arg)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        ;
    log_size += 8;
    atomic_flag_clear_explicit(&busy, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t;

    for (;;)
        pthread_create(&t, 0, logger, 0);
}
