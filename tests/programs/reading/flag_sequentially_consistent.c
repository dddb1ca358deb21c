// Both accesses to the flag are sequentially consistent: the data is handed over.
// EXPECT: safe data
// EXPECT: safe flag
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int flag;

void *writer(void *arg)
{
    data = 1;
    flag = 1;
    return arg;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, writer, 0);
    if (flag)
        data = 2;
    return 0;
}
