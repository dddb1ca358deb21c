// CIRC: --property all
// A bakery for two threads without the `choosing` step being respected: the numbers may be equal.
//
// EXPECT: race goods
// EXPECT: violated asserts
// EXPECT: race n0
// EXPECT: race n1
//
// Zero reads n1 == 0; one takes number 1 and enters; zero takes number 1 as well and wins the tie.
#include "circ.h"

int n0, n1;
int goods;

circ_threads(1) void zero(void)
{
    while (1) {
        n0 = n1 + 1;
        while (n1 != 0 && n1 < n0) {
        }
        goods = 0;
        assert(goods == 0);
        n0 = 0;
    }
}

circ_threads(1) void one(void)
{
    while (1) {
        n1 = n0 + 1;
        while (n0 != 0 && n0 <= n1) {
        }
        goods = 1;
        assert(goods == 1);
        n1 = 0;
    }
}
