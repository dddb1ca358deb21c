// A semaphore that starts at 1, around every access.
//
// EXPECT: safe balance
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static int balance;

static void *worker(void *arg)
{
    (void)arg;
    sem_wait(&s);
    balance++;
    sem_post(&s);
    return 0;
}

int main(void)
{
    pthread_t t;

    sem_init(&s, 0, 1);
    while (1)
        pthread_create(&t, 0, worker, 0);
}
