// A lock that is initialised when there is already somebody who uses it; another one is initialised by its first user alone.
// EXPECT: race late
// EXPECT: safe early
#include <pthread.h>

pthread_mutex_t late, early;

void *worker(void *arg)
{
    pthread_mutex_init(&early, 0);
    pthread_mutex_lock(&early);
    pthread_mutex_unlock(&early);
    pthread_mutex_lock(&late);
    pthread_mutex_unlock(&late);
    return arg;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, worker, 0);
    pthread_mutex_init(&late, 0);
    return 0;
}
