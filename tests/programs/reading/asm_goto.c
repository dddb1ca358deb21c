// Assembly that may jump goes on at each of its labels.
// EXPECT: safe kept
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int kept, lost;

void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    kept++;
    pthread_mutex_unlock(&lock);
    lost++;
    return argument;
}

static int flag(void)
{
    asm goto("jmp %l0" : : : : set);
    return 0;
set:
    return 1;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    flag();
    worker(0);
    pthread_join(t, 0);
    return 0;
}
