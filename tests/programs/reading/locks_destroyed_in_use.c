// Locks of every kind are destroyed while another thread may use them: each is a race on the lock.
// EXPECT: race m
// EXPECT: race r
// EXPECT: race s
// EXPECT: race p
// EXPECT: race c
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
sem_t s;
pthread_spinlock_t p;

void *worker(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_rwlock_rdlock(&r);
    pthread_rwlock_unlock(&r);
    pthread_cond_signal(&c);
    sem_post(&s);
    pthread_spin_lock(&p);
    pthread_spin_unlock(&p);
    return arg;
}

int main(void)
{
    pthread_t t;

    sem_init(&s, 0, 0);
    pthread_spin_init(&p, 0);
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_destroy(&m);
    pthread_rwlock_destroy(&r);
    pthread_cond_destroy(&c);
    sem_destroy(&s);
    pthread_spin_destroy(&p);
    return 0;
}
