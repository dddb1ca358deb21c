// What was sent before may be received at any time: two threads that each got something race; who waits for the first byte does not.
// EXPECT: race active
// EXPECT: race behind
// EXPECT: unknown before
#include <pthread.h>
#include <unistd.h>

int ends[2], active, before, behind;

static void *worker(void *arg)
{
    char byte;

    if (read(ends[0], &byte, 1) == 1) {
        if (arg)
            before++;
        active++;
        behind++;
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;

    if (pipe(ends))
        return 1;
    pthread_create(&a, 0, worker, ends);
    before++;
    write(1, "starting", 8);
    write(ends[1], "a", 1);
    behind++;
    pthread_join(a, 0);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    write(ends[1], "bc", 2);
    write(ends[1], "d", 1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
