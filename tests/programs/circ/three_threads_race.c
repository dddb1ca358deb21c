// Safe with two threads, racy with three.
//
// EXPECT: race x
// EXPECT: safe stage
//
// Each thread moves `stage` on by one, once, and writes x only if it was the last of three stages or the second.
// With three threads the second and the third reach x together.
#include "circ.h"

int stage;
int x;

circ_threads(3) void runner(void)
{
    int mine;

    atomic {
        mine = stage;
        stage = stage + 1;
    }
    if (mine == 1 || mine == 2) {
        x = mine;
    }
}
