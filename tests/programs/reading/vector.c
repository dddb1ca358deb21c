// Arithmetic on vectors is not modelled: only what the statement mentions is in doubt.
// EXPECT: safe kept
// EXPECT: race lost
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int kept, lost;

typedef int four __attribute__((vector_size(16)));
four sums;

void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    kept++;
    pthread_mutex_unlock(&lock);
    lost++;
    return argument;
}

static int add(int k)
{
    four x = {1, 2, 3, k};
    sums = sums * x + x;
    return sums[0];
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    add(3);
    worker(0);
    pthread_join(t, 0);
    return 0;
}
