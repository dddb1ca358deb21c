// The thread exists only if a flag is set; main writes without a lock only if it is not.
//
// EXPECT: safe mode
#include <pthread.h>

extern int nondet(void);
static int mode;

static void *worker(void *arg)
{
    (void)arg;
    mode = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    int more = nondet();

    if (more)
        pthread_create(&t, 0, worker, 0);
    if (!more)
        mode = 2;
    return 0;
}
