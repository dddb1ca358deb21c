// A function that is given bytes from within a union on reaches the member behind it.
// EXPECT: race g.a
// EXPECT: unknown g.u
// EXPECT: safe g.far
#include <pthread.h>
#include <string.h>

static struct { union { unsigned char c; double d; } u; int a, far; } g;

static void *clear(void *arg) {
    memset((char *)&g + 6, 0, 3);
    return 0;
}
static void *other(void *arg) {
    g.a = 1;
    g.u.d = 1;
    g.far = 1;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, clear, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
