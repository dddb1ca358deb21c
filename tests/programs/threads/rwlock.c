// Readers share the lock, the writer has it alone; any number of readers.
//
// EXPECT: safe config
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int config;

static void *reader(void *arg)
{
    int seen;

    (void)arg;
    pthread_rwlock_rdlock(&l);
    seen = config;
    pthread_rwlock_unlock(&l);
    return seen ? arg : 0;
}

int main(void)
{
    pthread_t t;

    while (1) {
        pthread_create(&t, 0, reader, 0);
        pthread_rwlock_wrlock(&l);
        config++;
        pthread_rwlock_unlock(&l);
    }
}
