// A heap object that main publishes before it creates the threads; its own lock protects it.
//
// EXPECT: safe pool
#include <pthread.h>
#include <stdlib.h>
struct pool {
    pthread_mutex_t lock;
    int used;
};

static struct pool *pool;

static void *worker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&pool->lock);
    pool->used++;
    pthread_mutex_unlock(&pool->lock);
    return 0;
}

int main(void)
{
    pthread_t t;

    pool = malloc(sizeof *pool);
    if (!pool)
        return 1;
    pthread_mutex_init(&pool->lock, 0);
    pool->used = 0;
    while (1)
        pthread_create(&t, 0, worker, 0);
}
