// Two phases: the second thread is created when the first has been joined.
//
// EXPECT: safe stage
#include <pthread.h>

static int stage;

static void *first(void *arg)
{
    (void)arg;
    stage = 1;
    return 0;
}

static void *second(void *arg)
{
    (void)arg;
    stage++;
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, first, 0);
    pthread_join(t, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(t, 0);
    return stage;
}
