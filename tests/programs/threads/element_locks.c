// Each element of an array has its own lock in another array, with the same index.
//
// EXPECT: safe value[]
#include <pthread.h>

extern int nondet(void);
static pthread_mutex_t lock[8];
static int value[8];

static void *worker(void *arg)
{
    int k = nondet() & 7;

    (void)arg;
    pthread_mutex_lock(&lock[k]);
    value[k]++;
    pthread_mutex_unlock(&lock[k]);
    return 0;
}

int main(void)
{
    pthread_t t;
    int i;

    for (i = 0; i < 8; i++)
        pthread_mutex_init(&lock[i], 0);
    while (1)
        pthread_create(&t, 0, worker, 0);
}
