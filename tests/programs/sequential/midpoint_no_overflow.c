// CIRC: --property asserts
// The midpoint of two indices, for all of them.
//
// EXPECT: safe asserts
//
// The difference cannot wrap for 0 <= low <= high.
#include "circ.h"

static int midpoint(int low, int high)
{
    return low + (high - low) / 2;
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
