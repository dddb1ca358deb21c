// The array at the end of a struct, which has no length, reached by its name and through a pointer to its first element.
// EXPECT: race malloc@main:21.slots[]
// EXPECT: safe malloc@main:21.count
#include <pthread.h>
#include <stdlib.h>

struct table { int count; int slots[]; };
static struct table *table;

static void *writer(void *arg) {
    table->slots[1] = 1;
    return 0;
}
static void *walker(void *arg) {
    int *p = table->slots;
    p[1] = table->count;
    return 0;
}
int main(void) {
    pthread_t a, b;
    table = malloc(sizeof *table + 4 * sizeof table->slots[0]);
    if (!table)
        return 1;
    table->count = 4;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, walker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
