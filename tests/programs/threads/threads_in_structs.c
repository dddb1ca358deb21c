// Handles, arguments and results of threads are in structs of an allocated array; each result is read when its thread was joined.
// EXPECT: safe malloc@main:16[].result
#include <pthread.h>
#include <stdlib.h>

struct thread { pthread_t handle; int number, result; };
static void *square(void *arg)
{
    struct thread *self = arg;

    self->result = self->number * self->number;
    return 0;
}
int main(void)
{
    struct thread *threads = malloc(3 * sizeof *threads);
    int sum = 0;

    for (int i = 0; i < 3; i++) {
        threads[i].number = i;
        pthread_create(&threads[i].handle, 0, square, &threads[i]);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i].handle, 0);
        sum += threads[i].result;
    }
    free(threads);
    return sum;
}
