// A counting semaphore with one unit is a mutex.
//
// EXPECT: safe shelf
// EXPECT: safe units
//
// units is 0 while a thread is inside; signal is called by that thread only.
#include "circ.h"

int units = 1;
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
