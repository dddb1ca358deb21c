// The order of two objects is the linker's choice: neither safe nor a race that everybody gets.
// EXPECT: unknown low
// EXPECT: unknown high
// EXPECT: race same
#include <pthread.h>
#include <stdint.h>

int a, b, low, high, same;
int row[4];

static int before(int *p, int *q)
{
    return p < q;
}

void *first(void *arg)
{
    if (before(&row[1], &row[2]))
        same = 1;
    if (before(&a, &b))
        low = 1;
    else
        high = 1;
    return 0;
}

void *second(void *arg)
{
    low = high = same = 2;
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
