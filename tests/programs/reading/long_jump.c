// A long jump goes on behind a setjmp, with what was done since: here the lock is held no more.
// EXPECT: safe kept
// EXPECT: safe held
#include <setjmp.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int kept, lost;
int held, thrown;
jmp_buf env;

static void fail(int k)
{
    if (k > 2)
        longjmp(env, k);
}

void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    kept++;
    pthread_mutex_unlock(&lock);
    lost++;
    return argument;
}

static void *second(void *argument)
{
    pthread_mutex_lock(&lock);
    held++;
    if (setjmp(env) == 0) {
        pthread_mutex_unlock(&lock);
        fail(argument != 0);
        fail(7);
        thrown++;
    } else
        thrown++;
    return argument;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_t u;
    pthread_create(&u, 0, second, 0);
    pthread_mutex_lock(&lock);
    held++;
    thrown++;
    pthread_mutex_unlock(&lock);
    worker(0);
    pthread_join(t, 0);
    return 0;
}
