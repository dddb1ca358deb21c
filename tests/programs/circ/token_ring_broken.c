// Three stations pass a token round; the one that has it may write.
//
// EXPECT: race medium
// EXPECT: safe token
//
// The last station passes the token on and writes once more afterwards.
#include "circ.h"

int token;
int medium;

circ_threads(3) void station(int self)
{
    int mine;

    while (1) {
        atomic { mine = token == self; }
        if (!mine) {
            continue;
        }
        medium = self;
        atomic {
            token = self == 2 ? 0 : self + 1;
        }
        if (self == 2) {
            medium = -1;
        }
    }
}
