// A divide-and-conquer worker that starts helpers of its own kind; the helper without work to divide counts without the lock.
// EXPECT: race done
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *solve(void *arg)
{
    long depth = (long)arg;
    pthread_t left, right;

    if (depth > 0) {
        pthread_create(&left, 0, solve, (void *)(depth - 1));
        pthread_create(&right, 0, solve, (void *)(depth - 1));
    }
    if (depth > 0)
        pthread_mutex_lock(&lock);
    done++;
    if (depth > 0)
        pthread_mutex_unlock(&lock);
    if (depth > 0) {
        pthread_join(left, 0);
        pthread_join(right, 0);
    }
    return 0;
}

int main(void)
{
    pthread_t root;

    pthread_create(&root, 0, solve, (void *)4);
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
    pthread_join(root, 0);
    return 0;
}
