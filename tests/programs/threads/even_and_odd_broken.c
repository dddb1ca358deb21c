// One thread has the even elements, another one the odd ones, and looks at their neighbours.
// EXPECT: race v[]
#include <pthread.h>

#define N 64
static int v[N];

static void *even(void *arg)
{
    for (int i = 0; i < N; i += 2) v[i] = i;
    return arg;
}

static void *odd(void *arg)
{
    for (int i = 1; i < N; i += 2) v[i] = -v[i - 1];
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, even, 0);
    pthread_create(&b, 0, odd, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return v[3];
}
