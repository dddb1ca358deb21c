// The old way: an array of one element at the end of a struct stands for as many as there is room for.
// EXPECT: race malloc@main:22.slots[]
#include <pthread.h>
#include <stdlib.h>

struct table { int count; int slots[1]; };
static struct table *table;
extern int __VERIFIER_nondet_int(void);

static void *writer(void *arg) {
    table->slots[3] = 1;
    return 0;
}
static void *walker(void *arg) {
    int *p = table->slots;
    p[3] = 2;
    return 0;
}
int main(void) {
    pthread_t a, b;
    int n = __VERIFIER_nondet_int();
    table = n < 8 || n > 100 ? 0 : malloc(sizeof *table + n * sizeof table->slots[0]);
    if (!table)
        return 1;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, walker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
