// A call inside of a statement that is not modelled is made all the same: it gives the lock back.
// EXPECT: safe fine
// EXPECT: race early
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int kept, lost;
int fine, early;

typedef int four __attribute__((vector_size(16)));

static int release(void)
{
    pthread_mutex_unlock(&lock);
    return 1;
}

void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    kept++;
    pthread_mutex_unlock(&lock);
    lost++;
    return argument;
}

void *other(void *argument)
{
    pthread_mutex_lock(&lock);
    fine++;
    four x = {release(), 2};
    int k = x[release() - 1];
    early += k > 0;
    return argument;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    pthread_mutex_lock(&lock);
    fine++;
    early++;
    pthread_mutex_unlock(&lock);
    return 0;
}
