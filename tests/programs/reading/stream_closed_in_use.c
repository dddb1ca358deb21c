// A stream has a lock of its own: two threads may print to it, but nobody may close it meanwhile.
// EXPECT: race fopen@main:22
// EXPECT: safe fopen@main:23
#include <pthread.h>
#include <stdio.h>

FILE *left, *right;

void *worker(void *arg)
{
    if (left)
        fputs("worker", left);
    if (right)
        fprintf(right, "%d", 1);
    return arg;
}

int main(void)
{
    pthread_t t;

    left = fopen("left", "w");
    right = fopen("right", "w");
    pthread_create(&t, 0, worker, 0);
    if (right)
        fputc('m', right);
    if (left)
        fclose(left);
    pthread_join(t, 0);
    if (right)
        fclose(right);
    return 0;
}
