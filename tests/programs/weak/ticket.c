// A ticket lock as it is found in kernels: tickets are drawn relaxed, the turn is seen by acquire and passed on by release.
// EXPECT: safe queue_length
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next_ticket, now_serving;
static int queue_length;

static void *customer(void *arg)
{
    unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);

    while (atomic_load_explicit(&now_serving, memory_order_acquire) != mine)
        ;
    queue_length++;
    atomic_store_explicit(&now_serving, mine + 1, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t a, b, c;

    pthread_create(&a, 0, customer, 0);
    pthread_create(&b, 0, customer, 0);
    pthread_create(&c, 0, customer, 0);
    return 0;
}
