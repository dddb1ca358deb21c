// A signal handler may end the waiting without a permit, and nobody looks at the result.
// EXPECT: unknown x
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

sem_t s;
int x;

void on_alarm(int number)
{
}

void *worker(void *arg)
{
    sem_wait(&s);
    x++;
    sem_post(&s);
    return arg;
}

int main(void)
{
    pthread_t a, b;

    signal(SIGALRM, on_alarm);
    sem_init(&s, 0, 1);
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
