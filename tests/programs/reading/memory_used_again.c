// The number of an address that was freed, or that a function had for its local, may be that of another object later.
// EXPECT: unknown again
// EXPECT: unknown stack
// EXPECT: safe never
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static int again, stack, never, a, b;

static uintptr_t one(void) {
    int x;
    return (uintptr_t)&x;
}
static uintptr_t two(void) {
    long x;
    return (uintptr_t)&x;
}
static void *chooser(void *arg) {
    int *p = malloc(sizeof *p);
    uintptr_t was = (uintptr_t)p, at = (uintptr_t)&a;
    free(p);
    int *q = malloc(sizeof *q);
    if (!q)
        return 0;
    if ((uintptr_t)q == was)
        again = 1;
    if (one() == two())
        stack = 1;
    if (at == (uintptr_t)&b)
        never = 1;
    return 0;
}
static void *other(void *arg) {
    again = stack = never = 2;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, chooser, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
