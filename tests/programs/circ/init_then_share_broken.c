// main initialises a table and then opens the gate; workers only read it afterwards.
//
// EXPECT: race config
// EXPECT: safe ready
//
// main corrects the value after it opened the gate.
#include "circ.h"

int ready;
int config;

static int compute(int seed)
{
    return seed * 7 + 3;
}

int main(void)
{
    config = compute(1);
    atomic { ready = 1; }
    config = config + 1;
    return 0;
}

circ_thread void worker(void)
{
    int go, c;

    do {
        atomic { go = ready; }
    } while (!go);
    c = config;
    if (c == 0) {
        c = 1;
    }
}
