// A two-stage pipeline with a one-place channel between the stages, polled under a mutex.
//
// EXPECT: safe slot
// EXPECT: safe full
// EXPECT: safe closed
//
// Every access to the channel holds its mutex.
#include <pthread.h>

static int slot, full, closed;
static pthread_mutex_t channel = PTHREAD_MUTEX_INITIALIZER;

static void send(int v)
{
    int sent = 0;

    while (!sent) {
        pthread_mutex_lock(&channel);
        if (!full) {
            slot = v;
            full = 1;
            sent = 1;
        }
        pthread_mutex_unlock(&channel);
    }
}

static int receive(int *v)
{
    for (;;) {
        pthread_mutex_lock(&channel);
        if (full) {
            *v = slot;
            full = 0;
            pthread_mutex_unlock(&channel);
            return 1;
        }
        if (closed) {
            pthread_mutex_unlock(&channel);
            return 0;
        }
        pthread_mutex_unlock(&channel);
    }
}

static void *squares(void *arg)
{
    int i;

    (void)arg;
    for (i = 1; i <= 5; i++)
        send(i * i);
    pthread_mutex_lock(&channel);
    closed = 1;
    pthread_mutex_unlock(&channel);
    return 0;
}

int main(void)
{
    pthread_t t;
    int v = 0, sum = 0;

    pthread_create(&t, 0, squares, 0);
    while (receive(&v))
        sum += v;
    pthread_join(t, 0);
    return sum == 55 ? 0 : 1;
}
