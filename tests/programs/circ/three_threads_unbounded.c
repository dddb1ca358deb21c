// Any number of threads; a race needs three of them.
//
// EXPECT: race x
// EXPECT: safe door
//
// One thread opens door 1 (0 -> 1), a second goes through it (1 -> 2) and comes to x, a third finds 2 and comes to x,
// while the second is still there. With two threads one of them must stay behind as the opener.
#include "circ.h"

int door;
int x;

circ_thread void visitor(void)
{
    int seen;

    atomic {
        seen = door;
        if (door == 0) {
            door = 1;
        } else if (door == 1) {
            door = 2;
        }
    }
    if (seen != 0) {
        x = x + seen;
    }
}
