// Whoever is last destroys the lock: all others have given it back by then.
// EXPECT: safe m
// EXPECT: safe users
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int users = 2;

void *leave(void *arg)
{
    int last;

    pthread_mutex_lock(&m);
    last = --users == 0;
    pthread_mutex_unlock(&m);
    if (last)
        pthread_mutex_destroy(&m);
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, leave, 0);
    pthread_create(&b, 0, leave, 0);
    return 0;
}
