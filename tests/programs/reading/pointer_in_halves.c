// The halves of an address lie in two integers of a struct, which is taken for a pointer.
// EXPECT: unknown b
#include <pthread.h>
#include <stdint.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int b, spare;
static struct { unsigned low, high; } halves;

static void *giver(void *arg) {
    uintptr_t u = (uintptr_t)&b;
    pthread_mutex_lock(&m);
    halves.low = (unsigned)u;
    halves.high = (unsigned)(u >> 32);
    pthread_mutex_unlock(&m);
    return 0;
}
static void *taker(void *arg) {
    int *p = &spare;
    pthread_mutex_lock(&m);
    if (halves.low)
        memcpy(&p, &halves, sizeof p);
    pthread_mutex_unlock(&m);
    *p = 1;
    return 0;
}
static void *other(void *arg) {
    b = 2;
    return 0;
}
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, giver, 0);
    pthread_create(&b, 0, taker, 0);
    pthread_create(&c, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
