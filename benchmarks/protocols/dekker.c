// CIRC: --property asserts
// EXPECT: safe asserts
// Dekker's algorithm for two threads.
#include "circ.h"

_Bool wants[2];
_Bool turn;

circ_threads(2) void process(int self)
{
    for (;;) {
        wants[self] = 1;
        while (wants[1 - self]) {
#ifdef BROKEN
            break;
#else
            if (turn != self) {
                wants[self] = 0;
                while (turn != self) {
                }
                wants[self] = 1;
            }
#endif
        }
        circ_critical { }
        turn = 1 - self;
        wants[self] = 0;
    }
}
