// CIRC: --property all
// Dekker's algorithm for two threads.
//
// EXPECT: safe x
// EXPECT: safe asserts
// EXPECT: race want0
// EXPECT: race want1
// EXPECT: race turn
//
// Each thread enters only after it raised its own flag and then saw the other's down.
// turn decides who backs off; it is written on leaving and read by the other one while it waits.
#include "circ.h"

int want0, want1, turn;
int x;

circ_threads(1) void left(void)
{
    while (1) {
        want0 = 1;
        while (want1) {
            if (turn != 0) {
                want0 = 0;
                while (turn != 0) {
                }
                want0 = 1;
            }
        }
        x = 1;
        assert(x == 1);
        turn = 1;
        want0 = 0;
    }
}

circ_threads(1) void right(void)
{
    while (1) {
        want1 = 1;
        while (want0) {
            if (turn != 1) {
                want1 = 0;
                while (turn != 1) {
                }
                want1 = 1;
            }
        }
        x = 2;
        assert(x == 2);
        turn = 0;
        want1 = 0;
    }
}
