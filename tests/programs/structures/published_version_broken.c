// Two versions of a setting; the editor prepares the spare one and then publishes its index.
//
// EXPECT: race setting[]
// EXPECT: safe current
// EXPECT: safe users
//
// Without the wait a slow reader still reads the version that the editor now overwrites.
#include "circ.h"

int current;
int users;
int setting[2];

circ_threads(1) void editor(void)
{
    int spare, quiet;

    while (1) {
        quiet = 1;
        atomic { spare = 1 - current; }
        setting[spare] = setting[spare] + quiet;
        atomic { current = spare; }
    }
}

circ_threads(2) void reader(void)
{
    int v, at;

    while (1) {
        atomic {
            users = users + 1;
            at = current;
        }
        v = setting[at];
        if (v < 0)
            v = -v;
        atomic { users = users - 1; }
    }
}
