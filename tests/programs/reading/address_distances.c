// The distance of two objects is a number, added to an address again: in one expression, through fields, elements, function
// results, numbers of half the width, low bits. Where every address is of one object it is only a number.
// EXPECT: unknown plain
// EXPECT: unknown stored
// EXPECT: unknown narrow
// EXPECT: unknown returned
// EXPECT: unknown filled
// EXPECT: unknown low
// EXPECT: unknown relative
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int base, plain, stored, narrow, returned, filled, low, relative;
static long distances[2];
static struct {
    int32_t to;
    uintptr_t mark;
} self;

static long between(void *to, void *from)
{
    return (long)to - (long)from;
}

static void *mover(void *arg)
{
    intptr_t distance = (intptr_t)&plain - (intptr_t)&base;
    int part = (int)((intptr_t)&narrow - (intptr_t)&base);

    *(int *)((intptr_t)&base + distance) = 1;
    distances[1] = (intptr_t)&stored - (intptr_t)&base;
    *(int *)((intptr_t)&base + distances[1]) = 1;
    *(int *)((intptr_t)&base + part) = 1;
    *(int *)((intptr_t)&base + labs(between(&returned, &base))) = 1;
    memset((void *)((uintptr_t)&base + (uintptr_t)between(&filled, &base)), 0, sizeof(int));
    part = (uintptr_t)&low & 0xffff;
    *(int *)(((uintptr_t)&base & ~(uintptr_t)0xffff) | part) = 1;
    self.to = (int32_t)((intptr_t)&relative - (intptr_t)&self.to);
    *(int *)((intptr_t)&self.to + self.to) = 1;
    return arg;
}

static void *writer(void *arg)
{
    plain = stored = narrow = returned = filled = low = relative = 2;
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, mover, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
