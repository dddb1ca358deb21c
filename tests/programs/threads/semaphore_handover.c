// The producer posts when the item is there; the consumer waits for it.
//
// EXPECT: safe item
#include <pthread.h>
#include <semaphore.h>
static sem_t ready;
static int item;

static void *producer(void *arg)
{
    (void)arg;
    item = 7;
    sem_post(&ready);
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
