// CIRC: --property all
// Peterson's algorithm for two threads.
//
// EXPECT: safe x
// EXPECT: safe asserts
// EXPECT: race flag0
// EXPECT: race flag1
// EXPECT: race turn
//
// The flags and turn are plain variables, written by one thread while the other reads them: races in the model's
// sense, as always in this algorithm. x is touched in the critical section only: with sequential consistency at
// most one thread is there, so the assertion holds.
#include "circ.h"

int flag0, flag1, turn;
int x;

circ_threads(1) void left(void)
{
    while (1) {
        flag0 = 1;
        turn = 1;
        while (flag1 == 1 && turn == 1) {
        }
        x = 0;
        assert(x == 0);
        flag0 = 0;
    }
}

circ_threads(1) void right(void)
{
    while (1) {
        flag1 = 1;
        turn = 0;
        while (flag0 == 1 && turn == 0) {
        }
        x = 1;
        assert(x == 1);
        flag1 = 0;
    }
}
