// main initialises the mutex before it creates any thread, in a loop that may create any number of them.
//
// EXPECT: safe total
#include <pthread.h>

static pthread_mutex_t m;
static int total;

static void *worker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    total++;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int i;

    (void)argv;
    total = 0;
    pthread_mutex_init(&m, 0);
    for (i = 0; i < argc; i++)
        pthread_create(&t, 0, worker, 0);
    return 0;
}
