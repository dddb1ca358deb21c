// Each thread draws one number with one atomic step and uses the slot with that number; nobody draws twice.
// EXPECT: safe slot[]
#include <pthread.h>
#include <stdatomic.h>

int slot[1000];
static atomic_int drawn;
extern int __VERIFIER_nondet_int(void);

static void *visitor(void *arg)
{
    int mine = atomic_fetch_add(&drawn, 1);

    if (mine < 1000) {
        slot[mine] = 1;
        slot[mine]++;
    }
    return arg;
}

int main(void)
{
    pthread_t t;

    while (__VERIFIER_nondet_int())
        pthread_create(&t, 0, visitor, 0);
    return 0;
}
