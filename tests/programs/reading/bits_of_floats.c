// The bits of a floating-point constant that a variable starts with are known; those of what is stored later are not tracked.
// EXPECT: race started
// EXPECT: race in_a_union
// EXPECT: race in_an_array
// EXPECT: safe never
// EXPECT: unknown stored
// EXPECT: unknown copied
// EXPECT: unknown endless
#include <pthread.h>
#include <stdint.h>
#include <string.h>

static float one = 1.0f;
static double table[2] = {-0.5, 2};
static union { float f; unsigned bits; } both = {2.0f};
static float infinite = __builtin_inff();
static int started, in_a_union, in_an_array, never, stored, copied, endless;

static unsigned bits_of(float f)
{
    unsigned bits;

    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static void *looks(void *arg)
{
    union { float f; unsigned bits; } own;

    if (*(unsigned *)&one == 0x3f800000)
        started++;
    else
        never++;
    if (both.bits == 0x40000000)
        in_a_union++;
    if (((uint64_t *)table)[0] == 0xbfe0000000000000)
        in_an_array++;
    own.f = 1.0f;
    if (own.bits != 0x3f800000)
        stored++;
    if (bits_of(1.0f) != 0x3f800000)
        copied++;
    if (*(unsigned *)&infinite != 0x7f800000)
        endless++;
    return arg;
}

static void *writes(void *arg)
{
    started++, in_a_union++, in_an_array++, never++, stored++, copied++, endless++;
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
