// A thread that waits for itself is told so, and goes on; the other one waits.
// EXPECT: race early
// EXPECT: race told
// EXPECT: safe late
#include <errno.h>
#include <pthread.h>

pthread_mutex_t ready = PTHREAD_MUTEX_INITIALIZER;
pthread_t self, helper;
int early, told, late;

static void *work(void *arg)
{
    pthread_mutex_lock(&ready);
    pthread_mutex_unlock(&ready);
    if (pthread_join(self, 0) == EDEADLK)
        told = 1;
    early = 1;
    return arg;
}

static void *help(void *arg)
{
    late = 1;
    return arg;
}

int main(void)
{
    pthread_mutex_lock(&ready);
    pthread_create(&self, 0, work, 0);
    pthread_mutex_unlock(&ready);
    pthread_create(&helper, 0, help, 0);
    early = 2;
    told = 2;
    if (pthread_join(helper, 0) == 0)
        late = 2;
    return 0;
}
