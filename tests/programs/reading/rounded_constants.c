// An integer constant beside a floating one is rounded to the type that both are computed in, and there are two zeros.
// EXPECT: race equal
// EXPECT: safe never
// EXPECT: unknown negative
#include <pthread.h>

static float zero = -0.0f;
static int equal, never, negative;

static void *looks(void *arg)
{
    if (16777217 == 16777216.0f && 9007199254740993 == 9007199254740992.0)
        equal++;
    else
        never++;
    if (*(unsigned *)&zero == 0)
        negative++;
    return arg;
}

static void *writes(void *arg)
{
    equal++, never++, negative++;
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, looks, 0);
    pthread_create(&b, 0, writes, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
