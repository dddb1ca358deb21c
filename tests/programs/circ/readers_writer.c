// One writer at a time or up to eight readers.
//
// EXPECT: safe data
// EXPECT: safe readers
// EXPECT: safe writing
//
// A reader enters only while nobody writes, the writer only while nobody reads or writes.
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
