// Each thread has its own elements of an array at the end of a struct; one of them walks to its own.
// EXPECT: safe malloc@main:23.slots[]
// EXPECT: safe malloc@main:23.count
#include <pthread.h>
#include <stdlib.h>

struct table { long count; int slots[0]; };
static struct table *table;
extern int __VERIFIER_nondet_int(void);

static void *writer(void *arg) {
    table->slots[1] = 1;
    return 0;
}
static void *walker(void *arg) {
    int *p = table->slots;
    p[2] = (int)table->count;
    return 0;
}
int main(void) {
    pthread_t a, b;
    int n = __VERIFIER_nondet_int();
    table = n < 3 || n > 100 ? 0 : malloc(sizeof *table + n * sizeof table->slots[0]);
    if (!table)
        return 1;
    table->count = n;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, walker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
