// Racy only with four threads, and here there are three: safe.
//
// EXPECT: safe x
// EXPECT: safe level
//
// Each thread climbs one level, once. The threads that found level 2 and level 3 write x: that takes four of them.
#include "circ.h"

int level;
int x;

circ_threads(3) void climber(void)
{
    int found;

    atomic {
        found = level;
        level = level + 1;
    }
    if (found >= 2) {
        x = found;
    }
}
