// Two threads write their own cell, meet at a barrier, and then read both cells.
//
// EXPECT: safe left
// EXPECT: safe right
// EXPECT: safe arrived
//
// Both have left phase one when arrived is 2, and nobody writes afterwards.
#include "circ.h"

int arrived;
int left, right;

static void barrier(void)
{
    int all;

    atomic { arrived = arrived + 1; }
    do {
        atomic { all = arrived == 2; }
    } while (!all);
}

circ_threads(1) void worker_left(void)
{
    int sum;

    left = 17;
    barrier();
    sum = left + right;
    if (sum > 100) {
        sum = 100;
    }
}

circ_threads(1) void worker_right(void)
{
    int sum;

    right = 4;
    barrier();
    sum = left - right;
    if (sum == 0) {
        sum = 1;
    }
}
