// Who creates a thread finds the last start taken, which does not tell what the last creator did: a relaxed turn orders nothing.
// EXPECT: unknown data
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int turn;

static void *nothing(void *argument) { return argument; }

static void *worker(void *argument)
{
    pthread_t thread;
    int drawn = atomic_exchange_explicit(&turn, 1, memory_order_relaxed);
    if (drawn == 1)
        return 0;
    if (drawn == 0)
        data = 1;
    pthread_create(&thread, 0, nothing, 0);
    if (drawn == 0)
        atomic_store_explicit(&turn, 2, memory_order_relaxed);
    else
        data = 2;
    return argument;
}

int main(void)
{
    pthread_t threads[20];
    for (int i = 0; i < 20; i++)
        pthread_create(&threads[i], 0, worker, 0);
    return 0;
}
