// Half an address is any number; an integer in a pointer is itself.
// EXPECT: unknown half
// EXPECT: race number
#include <pthread.h>
#include <stdint.h>

int half, number, object;

void *first(void *arg)
{
    if ((int)(intptr_t)arg == 7)
        number = 1;
    if ((unsigned short)(uintptr_t)&object == 0x40)
        half = 1;
    return 0;
}

void *second(void *arg)
{
    half = number = 2;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, (void *)7);
    pthread_create(&b, 0, second, 0);
    return 0;
}
