// CIRC: --property all --ints math
// Lamport's bakery for two threads, numbers that never wrap.
//
// EXPECT: safe goods
// EXPECT: safe asserts
// EXPECT: race n0
// EXPECT: race n1
// EXPECT: race c0
// EXPECT: race c1
//
// The smaller number goes first, ties go to thread zero, and a thread that is choosing holds the other one back.
#include "circ.h"

int c0, c1;
int n0, n1;
int goods;

circ_threads(1) void zero(void)
{
    while (1) {
        c0 = 1;
        n0 = n1 + 1;
        c0 = 0;
        while (c1) {
        }
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
        c1 = 1;
        n1 = n0 + 1;
        c1 = 0;
        while (c0) {
        }
        while (n0 != 0 && n0 <= n1) {
        }
        goods = 1;
        assert(goods == 1);
        n1 = 0;
    }
}
