// An array of length 0 between members is the members behind it.
// EXPECT: race s
#include <pthread.h>

static struct { int before; int mark[0]; int first, second; } s;

static void *by_mark(void *arg) {
    s.mark[1] = 3;
    return 0;
}
static void *by_name(void *arg) {
    s.second = 1;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, by_mark, 0);
    pthread_create(&b, 0, by_name, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
