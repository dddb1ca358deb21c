// Owner ids checked later: any thread may claim, then only the one whose number is stored goes on.
//
// EXPECT: race port
// EXPECT: race owner
//
// The numbers are halved, so threads 0 and 1 carry the same one: both pass the check, both give it back.
#include "circ.h"

#define NONE (-1)

int owner = NONE;
int port;

circ_threads(4) void driver(int self)
{
    int id, current;

    id = self / 2;
    while (1) {
        atomic {
            if (owner == NONE) {
                owner = id;
            }
        }
        atomic { current = owner; }
        if (current != id) {
            continue;
        }
        port = port ^ 0x80;
        owner = NONE;
    }
}
