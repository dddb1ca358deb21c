// A function that is not here may follow a number that is an address, and no other number.
// EXPECT: unknown request
// EXPECT: unknown answer
// EXPECT: safe size
#include <pthread.h>

extern int control(int device, unsigned long command, ...);
extern void submit(long);

int request, answer;
unsigned long size;

static void *worker(void *arg)
{
    control(3, 17, (unsigned long)&request);
    submit((long)&answer);
    submit((long)size);
    return arg;
}

int main(void)
{
    pthread_t a, b;

    size = sizeof size;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
