// A counting semaphore with two units does not protect a variable.
//
// EXPECT: race shelf
// EXPECT: safe units
//
// Two threads get a unit each and are at the write together.
#include "circ.h"

int units = 2;
int shelf;

static void wait(void)
{
    int got = 0;

    while (!got) {
        atomic {
            if (units > 0) {
                units = units - 1;
                got = 1;
            }
        }
    }
}

static void signal(void)
{
    atomic { units = units + 1; }
}

circ_thread void worker(void)
{
    while (1) {
        wait();
        shelf = nondet();
        signal();
    }
}
