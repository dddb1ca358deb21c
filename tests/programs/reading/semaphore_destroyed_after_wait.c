// Who has waited for a post destroys the semaphore; a barrier may be destroyed by whoever it lets through, which is not tracked.
// EXPECT: safe s
// EXPECT: unknown b
#include <pthread.h>
#include <semaphore.h>

sem_t s;
pthread_barrier_t b;

void *worker(void *arg)
{
    pthread_barrier_wait(&b);
    sem_post(&s);
    return arg;
}

int main(void)
{
    pthread_t t;

    sem_init(&s, 0, 0);
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t, 0, worker, 0);
    pthread_barrier_wait(&b);
    pthread_barrier_destroy(&b);
    sem_wait(&s);
    sem_destroy(&s);
    return 0;
}
