// A relaxed counter of events races with nobody, and the data beside it is protected by the lock alone.
// EXPECT: safe events
// EXPECT: safe data
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int events;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg)
{
    atomic_fetch_add_explicit(&events, 1, memory_order_relaxed);
    pthread_mutex_lock(&m);
    data++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return atomic_load_explicit(&events, memory_order_relaxed);
}
