// The owner of a robust mutex ends with it: the next one gets it all the same, and is told so.
// EXPECT: unknown repaired
// EXPECT: unknown later
// EXPECT: safe normal
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m;
static int repaired, later, normal;

static void *ends(void *arg)
{
    pthread_mutex_lock(&m);
    return arg;
}

static void *next(void *arg)
{
    int e = pthread_mutex_lock(&m);

    if (e == EOWNERDEAD) {
        repaired++;
        pthread_mutex_consistent(&m);
    } else if (e == 0)
        normal++;
    if (e != ENOTRECOVERABLE)
        pthread_mutex_unlock(&m);
    later++;
    return arg;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_t a, b;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attributes);
    pthread_create(&a, 0, ends, 0);
    pthread_join(a, 0);
    pthread_create(&b, 0, next, 0);
    repaired = 1;
    later = 1;
    pthread_join(b, 0);
    return normal;
}
