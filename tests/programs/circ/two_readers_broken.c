// One writer at a time or up to two readers, of whom it overlooks one.
//
// EXPECT: race data
// EXPECT: safe readers
// EXPECT: safe writing
//
// The writer looks at the last reader only: it comes in while another one is still there.
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
            if (!writing && readers <= 1) {
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
