// What a lock lies in is freed while another thread may lock it: no data in it is touched without the lock.
// EXPECT: race malloc@main:25.lock
// EXPECT: race malloc@main:25.count
#include <pthread.h>
#include <stdlib.h>

struct box {
    pthread_mutex_t lock;
    int count;
};

void *worker(void *arg)
{
    struct box *b = arg;

    pthread_mutex_lock(&b->lock);
    b->count++;
    pthread_mutex_unlock(&b->lock);
    return 0;
}

int main(void)
{
    pthread_t t;
    struct box *b = malloc(sizeof *b);

    if (!b)
        return 1;
    pthread_mutex_init(&b->lock, 0);
    b->count = 0;
    pthread_create(&t, 0, worker, b);
    pthread_mutex_lock(&b->lock);
    pthread_mutex_unlock(&b->lock);
    free(b);
    return 0;
}
