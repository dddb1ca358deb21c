// Three stations pass a token round; the one that has it may write.
//
// EXPECT: safe medium
// EXPECT: safe token
//
// token carries the number of one station, and only that station changes it.
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
    }
}
