// The place just behind an array may be the start of another object, and no other part of one.
// EXPECT: unknown next
// EXPECT: unknown apart
// EXPECT: safe never
// EXPECT: race counted
#include <pthread.h>

static int first[2], second[2], next, apart, never, counted;

static void *chooser(void *arg) {
    int n = 0;
    for (int *p = first; p != first + 2; p++)
        n++;
    if (n == 2)
        counted = 1;
    if (first + 1 == second || first + 2 == second + 1 || first == second)
        never = 1;
    if (first + 2 == second)
        next = 1;
    else
        apart = 1;
    return 0;
}
static void *other(void *arg) {
    counted = 2;
    never = 2;
    next = apart = 2;
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
