// A configuration goes through two hands: each flag says that what comes before it is there. Any number of readers look at the last.
// EXPECT: safe settings.limit
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static struct { int limit; } settings;
static atomic_bool loaded, checked;

static void *loader(void *arg)
{
    settings.limit = 10;
    atomic_store_explicit(&loaded, true, memory_order_release);
    return arg;
}

static void *checker(void *arg)
{
    if (atomic_load_explicit(&loaded, memory_order_acquire) && settings.limit > 0)
        atomic_store_explicit(&checked, true, memory_order_release);
    return arg;
}

static void *reader(void *arg)
{
    if (atomic_load_explicit(&checked, memory_order_acquire))
        return settings.limit > 5 ? arg : 0;
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int n = argc > 1 ? atoi(argv[1]) : 4;

    pthread_create(&t, 0, loader, 0);
    pthread_create(&t, 0, checker, 0);
    for (int i = 0; i < n; i++)
        pthread_create(&t, 0, reader, 0);
    pthread_exit(0);
}
