// A ticket lock whose owner serves the next number before it is done.
//
// EXPECT: race value
// EXPECT: safe next_ticket
// EXPECT: safe now_serving
//
// The increment of value comes after leave(), when the next thread may be inside already.
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
        leave();
        value++;
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
