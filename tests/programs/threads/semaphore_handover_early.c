// The producer posts before it writes.
//
// EXPECT: race item
#include <pthread.h>
#include <semaphore.h>
static sem_t ready;
static int item;

static void *producer(void *arg)
{
    (void)arg;
    sem_post(&ready);
    item = 7;
    return 0;
}

int main(void)
{
    pthread_t t;

    sem_init(&ready, 0, 0);
    pthread_create(&t, 0, producer, 0);
    sem_wait(&ready);
    return item;
}
