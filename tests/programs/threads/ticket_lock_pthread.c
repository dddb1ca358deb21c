// A ticket lock on 32-bit counters, taken with fetch-and-add, by three threads in a loop.
//
// EXPECT: safe value
// EXPECT: safe next_ticket
// EXPECT: safe now_serving
//
// Numbers are given out and served in turn; that no two threads have the same one takes a count of the threads in the queue.
#include <pthread.h>

unsigned next_ticket, now_serving;
int value;

static void enter(void)
{
    unsigned mine = __sync_fetch_and_add(&next_ticket, 1);

    while (__atomic_load_n(&now_serving, __ATOMIC_SEQ_CST) != mine) {
    }
}

static void leave(void)
{
    __sync_fetch_and_add(&now_serving, 1);
}

static void *worker(void *arg)
{
    int i;

    for (i = 0; i < 1000; i++) {
        enter();
        value++;
        leave();
    }
    return arg;
}

int main(void)
{
    pthread_t a, b, c;

    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_create(&c, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return value;
}
