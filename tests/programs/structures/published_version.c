// Two versions of a setting; the editor prepares the spare one and then publishes its index.
//
// EXPECT: safe setting[]
// EXPECT: safe current
// EXPECT: safe users
//
// The editor waits until no reader uses the published version before it starts on the next one, so no reader can
// still be on the spare version while it is written.
#include "circ.h"

int current;
int users;
int setting[2];

circ_threads(1) void editor(void)
{
    int spare, quiet;

    while (1) {
        do {
            atomic {
                quiet = users == 0;
                spare = 1 - current;
            }
        } while (!quiet);
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
