// Equal string literals may be one array or two, and one literal may be the end of another; others are never the same.
// EXPECT: unknown same
// EXPECT: unknown different
// EXPECT: unknown ending
// EXPECT: safe never
#include <pthread.h>

static int same, different, ending, never;
static const char *name = "name";

static void *chooser(void *arg) {
    if (name == "name")
        same = 1;
    else
        different = 1;
    if (name + 1 == "ame")
        ending = 1;
    if (name == "ame" || name == "other" || name + 2 == "ame")
        never = 1;
    return 0;
}
static void *other(void *arg) {
    same = different = ending = never = 2;
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
