// Who has seen the flag destroys the condition variable: the signal before the unlock is over by then, the one behind it need not be.
// EXPECT: safe inside
// EXPECT: race behind
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t inside = PTHREAD_COND_INITIALIZER, behind = PTHREAD_COND_INITIALIZER;
int done;

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    done = 1;
    pthread_cond_signal(&inside);
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&behind);
    return arg;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m);
    while (!done)
        pthread_cond_wait(&inside, &m);
    pthread_mutex_unlock(&m);
    pthread_cond_destroy(&inside);
    pthread_cond_destroy(&behind);
    return 0;
}
