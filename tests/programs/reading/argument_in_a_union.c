// The argument of a thread whose function takes a union or a struct is what was passed.
// EXPECT: race first
// EXPECT: race second
// EXPECT: safe third
#include <pthread.h>

typedef union { void *pointer; long number; } argument __attribute__((transparent_union));
struct handle { int *target; };

int first, second, third;

static void *by_union(argument a)
{
    *(int *)a.pointer = 1;
    return 0;
}

static void *by_struct(struct handle h)
{
    *h.target = 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, (void *(*)(void *))by_union, &first);
    pthread_create(&b, 0, (void *(*)(void *))by_struct, &second);
    first = 2;
    second = 2;
    third = 2;
    pthread_join(a, 0);
    pthread_join(b, 0);
    return third;
}
