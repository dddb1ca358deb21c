// CIRC: --ints math
// The gate of wrap8_race.c read with unbounded integers, as the paper does: the counter never comes back to 0.
//
// EXPECT: safe x
// EXPECT: safe visits
//
// visits only grows, so one thread alone ever finds 0. With exact integers an int comes back to 0 after 2^32 visits.
#include "circ.h"

int visits;
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
