// CIRC: --property asserts
// Bit twiddling: rotate, reverse, count, sign extension, power of two.
//
// EXPECT: safe asserts
//
// For every 8-bit value reverse is its own inverse, and the counts agree.
#include <stdint.h>
#include "circ.h"

static uint8_t rotate_left(uint8_t v, unsigned n)
{
    n &= 7;
    return (uint8_t)((v << n) | (v >> ((8 - n) & 7)));
}

static uint8_t reverse(uint8_t v)
{
    v = (uint8_t)((v >> 4) | (v << 4));
    v = (uint8_t)(((v & 0xcc) >> 2) | ((v & 0x33) << 2));
    v = (uint8_t)(((v & 0xaa) >> 1) | ((v & 0x55) << 1));
    return v;
}

static unsigned popcount(uint8_t value)
{
    uint8_t v = value;
    unsigned i, n = 0;

    for (i = 0; i < 8; i++) {
        n += v & 1u;
        v >>= 1;
    }
    return n;
}

static int sign_extend(unsigned v, unsigned bits)
{
    unsigned m = 1u << (bits - 1);

    return (int)((v ^ m) - m);
}

int main(void)
{
    uint8_t v = (uint8_t)nondet();

    assert(reverse(reverse(v)) == v);
    assert(rotate_left(rotate_left(v, 3), 5) == v);
    assert(popcount(v) == popcount(reverse(v)));
    assert(popcount(0xff) == 8 && popcount(0) == 0);
    assert(sign_extend(0x0f, 4) == -1 && sign_extend(7, 4) == 7);
    assert((v & (v - 1)) == 0 ? popcount(v) <= 1 : popcount(v) >= 2);
    return 0;
}
