// The member is atomic, the assignment of the struct is not.
// EXPECT: race g.a
// EXPECT: safe g.b
#include <pthread.h>

struct pair { _Atomic int a; int b; } g, h;

void *copies(void *arg)
{
    g = h;
    return arg;
}

void *sets(void *arg)
{
    g.a = 1;
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, copies, 0);
    pthread_create(&b, 0, sets, 0);
    return 0;
}
