// Two threads fill an array, one from the front to the middle, the other one from the end down to the second element.
// EXPECT: race table[]
#include <pthread.h>

#define SIZE 8

static int table[SIZE];

static void *front(void *arg)
{
    for (int i = 0; i < SIZE / 2; i++)
        table[i] = i;
    return arg;
}

static void *back(void *arg)
{
    for (int i = SIZE - 1; i > 0; i--)
        table[i] = -i;
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, front, 0);
    pthread_create(&b, 0, back, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return table[SIZE / 2];
}
