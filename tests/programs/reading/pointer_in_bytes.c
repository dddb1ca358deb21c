// A pointer is stored byte by byte in an array of characters, and copied from there into a pointer again.
// EXPECT: unknown b
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int b;
static char bytes[sizeof(int *)];

static void *giver(void *arg) {
    int *p = &b;
    pthread_mutex_lock(&m);
    for (unsigned i = 0; i < sizeof p; i++)
        bytes[i] = ((char *)&p)[i];
    pthread_mutex_unlock(&m);
    return 0;
}
static void *taker(void *arg) {
    int *p;
    pthread_mutex_lock(&m);
    memcpy(&p, bytes, sizeof p);
    pthread_mutex_unlock(&m);
    if (p)
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
