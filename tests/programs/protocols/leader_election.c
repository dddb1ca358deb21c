// Leader election: the first thread to put its number into `leader` writes the configuration, the others wait for it.
//
// EXPECT: safe config
// EXPECT: safe leader
// EXPECT: safe published
//
// One thread finds leader == 0; the others read config after it was published.
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
        while (!ready) {
            atomic { ready = published; }
        }
        c = config;
        if (c == 0)
            ready = 2;
    }
}
