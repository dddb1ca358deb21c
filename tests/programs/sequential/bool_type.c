// CIRC: --property asserts
// _Bool: every non-zero value becomes 1, also from wider types and pointers.
//
// EXPECT: safe asserts
//
// Conversion to _Bool compares with 0; it does not cut off bits.
#include <assert.h>
#include <stdbool.h>

static bool any(unsigned mask)
{
    return mask;
}

static bool parity(unsigned v)
{
    bool p = false;

    while (v) {
        p = !p;
        v &= v - 1;
    }
    return p;
}

int main(void)
{
    int x = 3;
    int *p = &x;
    bool b = 256;
    unsigned char cut = (unsigned char)256;

    assert(b == 1 && cut == 0);
    assert(any(0x100) == true && any(0) == false);
    b = p;
    assert(b);
    b = 0;
    b += 2;
    assert(b == 1);
    b = b ^ 1;
    assert(!b);
    assert(parity(7) && !parity(6));
    assert((bool)0.0 == false);
    assert(true + true == 2);
    return 0;
}
