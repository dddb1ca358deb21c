// A ticket lock whose tickets are drawn by acquire and release, too.
// EXPECT: safe queue_length
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next_ticket, now_serving;
static int queue_length;

static void *customer(void *arg)
{
    unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_acq_rel);

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
