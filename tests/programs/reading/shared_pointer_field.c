// The pointer lies in a struct on the heap.
// EXPECT: race a1
// EXPECT: safe a0
#include <pthread.h>
#include <stdlib.h>

struct holder { int *p; };
int a0, a1;
struct holder *h;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *t1(void *arg)
{
    pthread_mutex_lock(&m);
    h->p = &a0;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    *h->p = 2;
    pthread_mutex_unlock(&m);
    return arg;
}

void *t2(void *arg)
{
    pthread_mutex_lock(&m);
    h->p = &a1;
    pthread_mutex_unlock(&m);
    a1 = 1;
    return arg;
}

int main(void)
{
    pthread_t a, b;

    h = malloc(sizeof *h);
    if (!h)
        return 1;
    h->p = &a0;
    pthread_create(&a, 0, t1, 0);
    pthread_create(&b, 0, t2, 0);
    return 0;
}
