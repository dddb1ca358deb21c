// Where a plain `char` has no sign, as on ARM, a negative number that is stored in one is a large one.
// CIRC: --data-model lp64-uchar
// EXPECT: race large
// EXPECT: race counted
// EXPECT: race in_a_condition
// EXPECT: race limit
// EXPECT: safe negative
#include <limits.h>
#include <pthread.h>

int large, counted, in_a_condition, limit, negative;

static void *worker(void *arg)
{
    char c = -1;
    struct { char bits : 3; } s;

    if (c > 0)
        large++;
    else
        negative++;
    s.bits = -1;
    if (s.bits == 7 && '\377' == 255 && "\377"[0] == 255)
        counted++;
    else
        negative++;
#if '\377' > 0 && defined __CHAR_UNSIGNED__
    in_a_condition++;
#else
    negative++;
#endif
    if (CHAR_MIN == 0 && CHAR_MAX == 255)
        limit++;
    else
        negative++;
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
