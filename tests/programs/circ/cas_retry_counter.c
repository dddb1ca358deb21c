// Lock-free update: read atomically, compute, compare-and-swap until nobody came between.
//
// EXPECT: safe total
//
// Every access to `total` is inside an atomic section; the retry loop needs no lock.
#include "circ.h"

unsigned total;

circ_thread void adder(void)
{
    unsigned seen, wanted;
    int done;

    while (1) {
        done = 0;
        while (!done) {
            atomic { seen = total; }
            wanted = seen * 3u + 1u;
            atomic {
                if (total == seen) {
                    total = wanted;
                    done = 1;
                }
            }
        }
    }
}
