// The old builtins: test-and-set only acquires, release only releases. Two locks, each for its own data.
// EXPECT: safe left
// EXPECT: safe right
#include <pthread.h>

static int guard_left, guard_right;
static int left, right;

static void *mover(void *arg)
{
    while (__sync_lock_test_and_set(&guard_left, 1))
        ;
    left--;
    __sync_lock_release(&guard_left);
    while (__sync_lock_test_and_set(&guard_right, 1))
        ;
    right++;
    __sync_lock_release(&guard_right);
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, mover, 0);
    pthread_create(&b, 0, mover, 0);
    return 0;
}
