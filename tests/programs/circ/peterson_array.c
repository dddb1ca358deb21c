// CIRC: --property all
// Peterson's algorithm written once for two threads, with the flags in an array indexed by self.
//
// EXPECT: safe x
// EXPECT: safe asserts
// EXPECT: race interested[]
// EXPECT: race turn
//
// Same argument as for the two-function version; interested[self] is written while the other thread reads it.
#include "circ.h"

int interested[2];
int turn;
int x;

circ_threads(2) void process(int self)
{
    int other = 1 - self;

    while (1) {
        interested[self] = 1;
        turn = other;
        while (interested[other] && turn == other) {
        }
        x = self;
        assert(x == self);
        interested[self] = 0;
    }
}
