// mtx_trylock gives thrd_busy, not EBUSY: the branch is taken.
// EXPECT: race x
#include <threads.h>

mtx_t m;
int x;

int worker(void *arg)
{
    if (mtx_trylock(&m) == thrd_busy)
        x = 1;
    return arg != 0;
}

int main(void)
{
    thrd_t a, b;

    mtx_init(&m, mtx_plain);
    mtx_lock(&m);
    thrd_create(&a, worker, 0);
    thrd_create(&b, worker, 0);
    thrd_join(a, 0);
    thrd_join(b, 0);
    return 0;
}
