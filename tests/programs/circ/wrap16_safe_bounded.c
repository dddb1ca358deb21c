// A gate that opens for the thread that finds the counter at 0; four threads, one visit each: no wrap.
//
// EXPECT: safe x
// EXPECT: safe visits
//
// The counter stays below 5, so only the first visitor finds 0.
#include "circ.h"

unsigned short visits;
int x;

circ_threads(4) void visitor(void)
{
    int first;

    atomic {
        first = visits == 0;
        visits++;
    }
    if (first) {
        x = x + 1;
    }
}
