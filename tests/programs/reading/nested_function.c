// A function inside a function: the body around it is unknown, all else is as written.
// EXPECT: safe kept
// EXPECT: race lost
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int kept, lost;
int counted;

void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    kept++;
    pthread_mutex_unlock(&lock);
    lost++;
    return argument;
}

static int count(int k)
{
    int add(int n) { return n + k + counted; }
    return add(k) + add(1);
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    count(2);
    worker(0);
    pthread_join(t, 0);
    return 0;
}
