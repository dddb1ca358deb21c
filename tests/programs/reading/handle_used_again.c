// The handle of a thread that was joined may be given to another one, and handles have no order.
// EXPECT: unknown equal
// EXPECT: unknown other
// EXPECT: unknown order
#include <pthread.h>
#include <stdint.h>

int equal, other, order;

void *first(void *arg)
{
    return 0;
}

void *second(void *arg)
{
    equal = other = order = 2;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_join(a, 0);
    pthread_create(&b, 0, second, 0);
    if (a == b)
        equal = 1;
    else
        other = 1;
    if (a < b)
        order = 1;
    return 0;
}
