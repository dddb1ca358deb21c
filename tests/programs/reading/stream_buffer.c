// A buffer that a stream was given is written whenever somebody prints; one that is null is the library's own.
// EXPECT: unknown buffer[]
// EXPECT: safe other[]
#include <pthread.h>
#include <stdio.h>

char buffer[64], other[64];

void *worker(void *arg)
{
    printf("worker\n");
    return arg;
}

int main(void)
{
    pthread_t t;

    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    setvbuf(stderr, 0, _IONBF, 0);
    pthread_create(&t, 0, worker, 0);
    buffer[0] = 'm';
    other[0] = 'm';
    return 0;
}
