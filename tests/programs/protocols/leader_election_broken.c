// Leader election: the first thread to put its number into `leader` writes the configuration, the others wait for it.
//
// EXPECT: race config
// EXPECT: safe leader
// EXPECT: safe published
//
// A candidate that lost does not wait for the publication.
#include "circ.h"

int leader;
int published;
int config;

circ_threads(3) void node(int self)
{
    int elected, ready = 0, c;

    atomic {
        if (leader == 0)
            leader = self + 1;
        elected = leader == self + 1;
    }
    if (elected) {
        config = self * 10;
        config = config + 1;
        atomic { published = 1; }
    } else {
        c = config;
        if (c == 0)
            ready = 2;
    }
}
