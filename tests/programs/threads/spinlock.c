// A spin lock, any number of threads.
//
// EXPECT: safe ticks
#include <pthread.h>

static pthread_spinlock_t s;
static int ticks;

static void *worker(void *arg)
{
    (void)arg;
    pthread_spin_lock(&s);
    ticks++;
    pthread_spin_unlock(&s);
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_spin_init(&s, 0);
    while (1)
        pthread_create(&t, 0, worker, 0);
}
