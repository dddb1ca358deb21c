// CIRC: --property asserts
// The midpoint of two indices, for all of them.
//
// EXPECT: violated asserts
//
// low + high wraps for large indices; the result is negative.
#include "circ.h"

static int midpoint(int low, int high)
{
    return (low + high) / 2;
}

int main(void)
{
    int low = nondet(), high = nondet(), mid;

    assume(low >= 0 && low <= high);
    mid = midpoint(low, high);
    assert(mid >= low);
    assert(mid <= high);
    return 0;
}
