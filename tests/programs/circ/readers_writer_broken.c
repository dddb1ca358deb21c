// One writer at a time or up to eight readers.
//
// EXPECT: race data
// EXPECT: safe readers
// EXPECT: safe writing
//
// The writer does not look at `readers`.
#include "circ.h"

#define MAX_READERS 8

unsigned char readers;
unsigned char writing;
int data;

circ_thread void reader(void)
{
    int in, copy;

    while (1) {
        in = 0;
        atomic {
            if (!writing && readers < MAX_READERS) {
                readers++;
                in = 1;
            }
        }
        if (in) {
            copy = data;
            if (copy < 0) {
                copy = 0;
            }
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
            if (!writing) {
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
