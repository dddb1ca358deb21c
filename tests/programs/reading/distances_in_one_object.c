// Distances within one object stay numbers: of members, of elements, of two pointers into a buffer, `container_of` by integers,
// alignment. What they are added to is the object that it was before.
// EXPECT: safe other
// EXPECT: race item.second
// EXPECT: race item.third
// EXPECT: race buffer[]
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct item {
    int first, second, third;
};

static int other;
static struct item item;
static _Alignas(16) char buffer[64];

static size_t length(const char *begin, const char *end)
{
    return end - begin;
}

static void *mover(void *arg)
{
    intptr_t distance = (intptr_t)&item.second - (intptr_t)&item.first;
    struct item *whole = (struct item *)((uintptr_t)&item.second - offsetof(struct item, second));
    char *end = buffer + 32, *p = buffer + 1;
    uintptr_t over = (uintptr_t)p & 15;

    *(int *)((intptr_t)&item.first + distance) = 1;
    whole->third = 1;
    p = buffer + length(buffer, end);
    *p = 1;
    p = buffer + 17 + (15 - over);
    *p = 2;
    return arg;
}

static void *writer(void *arg)
{
    int narrow = (int)length(buffer, buffer + 8);

    item.second = 2;
    item.third = 2;
    buffer[narrow] = 3;
    buffer[32] = 3;
    *(&other) = 4;
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
