// A process has one number in all its threads; a thread has its own, by which it knows that it holds a lock already.
// EXPECT: safe forked
// EXPECT: unknown depth
// EXPECT: race numbered
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
_Atomic int owner;
int depth, forked, numbered, process;

static void enter(void)
{
    int me = gettid();

    if (owner != me) {
        pthread_mutex_lock(&lock);
        owner = me;
    }
    depth++;
}

static void leave(void)
{
    if (--depth == 0) {
        owner = 0;
        pthread_mutex_unlock(&lock);
    }
}

static void *worker(void *arg)
{
    if (getpid() != process)
        forked++;
    if (getpid() > 1)
        numbered++;
    enter();
    enter();
    leave();
    leave();
    return arg;
}

int main(void)
{
    pthread_t a, b;

    process = getpid();
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
