// CIRC: --property all
// The first attempt in Dijkstra's tale of mutual exclusion: strict alternation by a turn variable.
//
// EXPECT: safe cell
// EXPECT: safe asserts
// EXPECT: race turn
//
// A thread is in its critical section only while turn carries its number, and only it can change that.
// turn itself is polled by the one while the other writes it.
#include "circ.h"

int turn;
int cell;

circ_threads(2) void alternate(int self)
{
    while (1) {
        while (turn != self) {
        }
        cell = self;
        assert(cell == self);
        turn = 1 - self;
    }
}
