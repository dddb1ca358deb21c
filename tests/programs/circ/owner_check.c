// Owner ids checked later: any thread may claim, then only the one whose number is stored goes on.
//
// EXPECT: safe port
// EXPECT: safe owner
//
// The claim happens atomically only when `owner` is NONE; the check compares with the thread's own number,
// and the numbers differ.
#include "circ.h"

#define NONE (-1)

int owner = NONE;
int port;

circ_threads(4) void driver(int self)
{
    int id, current;

    id = self;
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
