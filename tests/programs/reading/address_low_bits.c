// An int is at a multiple of its size, at no particular place of a cache line; tags in free bits are tags.
// EXPECT: safe misaligned
// EXPECT: unknown line
// EXPECT: race tagged
#include <pthread.h>
#include <stdint.h>

int object, misaligned, line, tagged;

void *first(void *arg)
{
    uintptr_t p = (uintptr_t)&tagged | 1;
    if ((uintptr_t)&object & 3)
        misaligned = 1;
    if (p & 1)
        *(int *)(p & ~(uintptr_t)1) = 1;
    if (((uintptr_t)&object & 63) == 0)
        line = 1;
    return 0;
}

void *second(void *arg)
{
    misaligned = line = tagged = 2;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
