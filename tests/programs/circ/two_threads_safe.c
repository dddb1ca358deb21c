// The same program with two threads: safe.
//
// EXPECT: safe x
// EXPECT: safe stage
//
// Each thread moves `stage` on by one, once, and writes x only if it was the last of three stages or the second.
// With two threads the third stage is never reached by anyone.
#include "circ.h"

int stage;
int x;

circ_threads(2) void runner(void)
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
