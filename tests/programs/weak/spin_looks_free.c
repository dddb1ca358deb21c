// One who waits until the lock looks free, and goes in without taking it.
// EXPECT: race account
#include <pthread.h>

static int lock;
static int account;

static void enter(void)
{
    for (;;) {
        int expected = 0;
        if (__atomic_compare_exchange_n(&lock, &expected, 1, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return;
        if (!__atomic_load_n(&lock, __ATOMIC_ACQUIRE))
            return;
    }
}

static void leave(void)
{
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

static void *teller(void *arg)
{
    enter();
    account -= 10;
    leave();
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, teller, 0);
    pthread_create(&b, 0, teller, 0);
    enter();
    account += 100;
    leave();
    pthread_join(a, 0);
    pthread_join(b, 0);
    return account;
}
