// The address of a variable goes through a pipe, into an array of characters.
// EXPECT: unknown b
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static int b, ends[2];

static void *giver(void *arg) {
    int *p = &b;
    return write(ends[1], &p, sizeof p) == sizeof p ? &b : 0;
}
static void *taker(void *arg) {
    char bytes[sizeof(int *)];
    int *p;
    if (read(ends[0], bytes, sizeof bytes) != sizeof bytes)
        return 0;
    memcpy(&p, bytes, sizeof p);
    *p = 1;
    return 0;
}
static void *other(void *arg) {
    b = 2;
    return 0;
}
int main(void) {
    if (pipe(ends))
        return 1;
    pthread_t a, b, c;
    pthread_create(&a, 0, giver, 0);
    pthread_create(&b, 0, taker, 0);
    pthread_create(&c, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
