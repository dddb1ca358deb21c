// A condition variable: the wait releases the mutex and takes it again.
//
// EXPECT: safe queued
// EXPECT: safe closing
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int queued, closing;

static void *consumer(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    while (!closing) {
        while (queued == 0 && !closing)
            pthread_cond_wait(&c, &m);
        if (queued > 0)
            queued--;
    }
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;
    int i;

    pthread_create(&t, 0, consumer, 0);
    for (i = 0; i < 10; i++) {
        pthread_mutex_lock(&m);
        queued++;
        pthread_mutex_unlock(&m);
        pthread_cond_signal(&c);
    }
    pthread_mutex_lock(&m);
    closing = 1;
    pthread_mutex_unlock(&m);
    pthread_cond_broadcast(&c);
    pthread_join(t, 0);
    return queued;
}
