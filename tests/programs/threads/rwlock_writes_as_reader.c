// A thread writes while it holds the lock for reading only.
//
// EXPECT: race config
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int config;

static void *reader(void *arg)
{
    (void)arg;
    pthread_rwlock_rdlock(&l);
    config++;
    pthread_rwlock_unlock(&l);
    return 0;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, reader, 0);
    return 0;
}
