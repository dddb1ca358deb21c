// Locks that are taken in the order of their addresses are both taken, whatever the order is.
// EXPECT: safe total
#include <pthread.h>
#include <stdint.h>

int total;
pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *p, pthread_mutex_t *q)
{
    if ((uintptr_t)p > (uintptr_t)q) {
        pthread_mutex_t *swap = p;
        p = q;
        q = swap;
    }
    pthread_mutex_lock(p);
    pthread_mutex_lock(q);
    total++;
    pthread_mutex_unlock(q);
    pthread_mutex_unlock(p);
}

void *first(void *arg)
{
    both(&left, &right);
    return 0;
}

void *second(void *arg)
{
    both(&right, &left);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
