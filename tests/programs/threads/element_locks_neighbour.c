// The lock of one element is held while the neighbour is written.
//
// EXPECT: race value[]
#include <pthread.h>

extern int nondet(void);
static pthread_mutex_t lock[8];
static int value[8];

static void *worker(void *arg)
{
    int k = nondet() & 7;

    (void)arg;
    pthread_mutex_lock(&lock[k]);
    value[(k + 1) & 7]++;
    value[k]++;
    pthread_mutex_unlock(&lock[k]);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
