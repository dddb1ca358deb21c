// CIRC: --property all
// Peterson's algorithm with the two entry statements swapped.
//
// EXPECT: race x
// EXPECT: violated asserts
// EXPECT: race flag0
// EXPECT: race flag1
// EXPECT: race turn
//
// The flags and turn are plain variables, written by one thread while the other reads them: races in the model's
// sense. With turn written before the flag: A writes turn = 1; B writes turn = 0, raises its flag, sees flag0 == 0
// and enters; A raises its flag, sees turn == 0, and enters too.
#include "circ.h"

int flag0, flag1, turn;
int x;

circ_threads(1) void left(void)
{
    while (1) {
        turn = 1;
        flag0 = 1;
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
        turn = 0;
        flag1 = 1;
        while (flag0 == 1 && turn == 0) {
        }
        x = 1;
        assert(x == 1);
        flag1 = 0;
    }
}
