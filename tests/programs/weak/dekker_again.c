// Try-locks in the manner of Dekker, again and again, with GCC's builtins: who finds the other's flag set goes back.
// EXPECT: safe goods
#include <pthread.h>

struct side { int busy; };

static struct side left, right;
static int goods;

static int try_enter(struct side *mine, struct side *other)
{
    __atomic_store_n(&mine->busy, 1, __ATOMIC_RELAXED);
    __sync_synchronize();
    return !__atomic_load_n(&other->busy, __ATOMIC_ACQUIRE);
}

static void leave(struct side *mine)
{
    __atomic_store_n(&mine->busy, 0, __ATOMIC_RELEASE);
}

static void *lefty(void *arg)
{
    for (;;) {
        if (try_enter(&left, &right))
            goods++;
        leave(&left);
    }
    return arg;
}

static void *righty(void *arg)
{
    for (;;) {
        if (try_enter(&right, &left))
            goods--;
        leave(&right);
    }
    return arg;
}

int main(void)
{
    pthread_t l, r;

    pthread_create(&l, 0, lefty, 0);
    pthread_create(&r, 0, righty, 0);
    return 0;
}
