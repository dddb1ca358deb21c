// The address of a variable goes through a pipe, into the bytes of a union.
// EXPECT: unknown b
#include <pthread.h>
#include <unistd.h>

static int b, ends[2];
static struct { int tag; union { int *p; char bytes[16]; } u; } message;

static void *giver(void *arg) {
    int *p = &b;
    return write(ends[1], &p, sizeof p) == sizeof p ? &b : 0;
}
static void *taker(void *arg) {
    if (read(ends[0], message.u.bytes, sizeof(int *)) == sizeof(int *))
        *message.u.p = 1;
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
