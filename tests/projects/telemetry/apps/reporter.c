#include <pthread.h>
#include <stdio.h>

#include "metrics.h"

static void usage(void)
{
    puts("reporter: adds up");
}

static void *adder(void *arg)
{
    metrics_add(1, *(int *)arg);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    int amounts[2] = { 3, 4 };

    (void)argv;
    if (argc > 1) {
        usage();
        return 1;
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, adder, &amounts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    metrics_print("reported");
    return 0;
}
