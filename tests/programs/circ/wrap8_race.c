// A gate that opens for the thread that finds the counter at 0, and the counter has 8 bits.
//
// EXPECT: race x
// EXPECT: safe visits
//
// The first visitor finds 0 and is at x; after 256 visits by others the counter is 0 again and a second one comes
// to x. With unbounded integers the program would be safe: `safe` is never right for exact integers.
#include "circ.h"

unsigned char visits;
int x;

circ_thread void visitor(void)
{
    int first;

    while (1) {
        atomic {
            first = visits == 0;
            visits++;
        }
        if (first) {
            x = x + 1;
        }
    }
}
