// One writer at a time or up to two readers.
//
// EXPECT: safe data
// EXPECT: safe readers
// EXPECT: safe writing
//
// Two readers and their number do not tell that there is no third: it takes three threads at once to see it.
#include "circ.h"

unsigned char readers;
unsigned char writing;
int data;

circ_thread void reader(void)
{
    int in, copy;

    while (1) {
        in = 0;
        atomic {
            if (!writing && readers < 2) {
                readers++;
                in = 1;
            }
        }
        if (in) {
            copy = data;
            atomic { readers--; }
        }
    }
}

circ_thread void writer(void)
{
    int in;

    while (1) {
        in = 0;
        atomic {
            if (!writing && readers == 0) {
                writing = 1;
                in = 1;
            }
        }
        if (in) {
            data = nondet();
            atomic { writing = 0; }
        }
    }
}
