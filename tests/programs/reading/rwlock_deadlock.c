// Who holds a read-write lock may be told so, rather than wait for ever: then the second call does not protect.
// EXPECT: unknown x
// EXPECT: safe y
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
int x, y;

void *worker(void *arg)
{
    pthread_rwlock_rdlock(&l);
    if (pthread_rwlock_wrlock(&l) != 0)
        x++;
    pthread_rwlock_unlock(&l);
    if (pthread_rwlock_wrlock(&l) == 0) {
        y++;
        pthread_rwlock_unlock(&l);
    }
    return arg;
}

int main(void)
{
    pthread_t t, u;

    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, worker, 0);
    return 0;
}
