// Two addresses that were numbers for a while are addresses again: exchanged without a third variable, complemented, taken off.
// EXPECT: unknown x
// EXPECT: unknown complemented
// EXPECT: unknown taken
// EXPECT: race tagged
#include <pthread.h>
#include <stdint.h>

static int x, y, complemented, taken, tagged, other;
static uintptr_t hidden;

static void *mover(void *arg)
{
    uintptr_t a = (uintptr_t)&x, b = (uintptr_t)&y;
    int *p = &other;

    tagged = 1;
    a ^= b;
    b ^= a;
    a ^= b;
    *(int *)b = 1;
    if (hidden)
        p = (int *)~hidden;
    *p = 1;
    a = (uintptr_t)&y - (uintptr_t)&taken;
    *(int *)((uintptr_t)&y - a) = 1;
    return arg;
}

static void *marker(void *arg)
{
    uintptr_t p = (uintptr_t)&tagged;

    p ^= 1;
    if (p & 1)
        p ^= 1;
    *(int *)p = 2;
    return arg;
}

static void *writer(void *arg)
{
    x = 2;
    complemented = 2;
    taken = 2;
    return arg;
}

int main(void)
{
    pthread_t a, b, c;

    hidden = ~(uintptr_t)&complemented;
    pthread_create(&a, 0, mover, 0);
    pthread_create(&b, 0, marker, 0);
    pthread_create(&c, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
