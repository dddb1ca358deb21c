// pthread_once initialises the table; everybody reads it afterwards.
//
// EXPECT: safe table
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table;

static void fill(void)
{
    table = 99;
}

static void *worker(void *arg)
{
    int seen;

    pthread_once(&once, fill);
    seen = table;
    return seen ? arg : 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, worker, 0);
}
