// A pointer to bytes goes on from a union to the member behind it; what comes after that is not dead.
// EXPECT: race x
#include <pthread.h>

struct { union { int *p; char c; } u; int a; } g;
int x;

void *t1(void *arg)
{
    char *q = (char *)&g;

    q[9] = 0;
    x = 1;
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, t1, 0);
    pthread_create(&b, 0, t1, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
