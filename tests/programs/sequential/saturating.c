// CIRC: --property asserts
// Saturating arithmetic for all inputs.
//
// EXPECT: safe asserts
//
// The wide sum cannot overflow, so the clamp is exact for every pair of 16-bit values.
#include <stdint.h>
#include "circ.h"

static int16_t add_saturated(int16_t a, int16_t b)
{
    int32_t s = (int32_t)a + b;

    if (s > 32767)
        return 32767;
    if (s < -32768)
        return -32768;
    return (int16_t)s;
}

int main(void)
{
    int16_t a = (int16_t)nondet();
    int16_t b = (int16_t)nondet();
    int16_t s = add_saturated(a, b);

    if (a >= 0 && b >= 0)
        assert(s >= a && s >= b);
    if (a < 0 && b < 0)
        assert(s <= a && s <= b);
    if (a >= 0 && b < 0)
        assert(s <= a && s >= b);
    return 0;
}
