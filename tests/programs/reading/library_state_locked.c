// Where calls that share something are made under a lock, or only read, there is no race; `ctime` writes both objects of its kind.
// EXPECT: safe static@localtime
// EXPECT: safe static@environ
// EXPECT: race static@asctime
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg)
{
    time_t now = 0;
    struct tm own = { 0 };

    pthread_mutex_lock(&m);
    ctime(&now);
    getenv("HOME");
    pthread_mutex_unlock(&m);
    asctime(&own);
    return arg;
}

int main(void)
{
    pthread_t t;
    time_t now = 1;

    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m);
    localtime(&now);
    setenv("HOME", "/", 1);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    ctime(&now);
    pthread_mutex_unlock(&m);
    return 0;
}
