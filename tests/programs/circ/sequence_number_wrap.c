// A sender accepts one frame per sequence number of three bits; the number wraps and two frames are open at once.
//
// EXPECT: race frame
// EXPECT: safe seq
//
// A thread that took number 0 stays at its write; after eight more takes another thread has number 0 as well.
#include "circ.h"

unsigned char seq;
int frame;

circ_thread void sender(void)
{
    unsigned char mine;

    while (1) {
        atomic {
            mine = seq;
            seq = (seq + 1) & 7;
        }
        if (mine == 0) {
            frame = nondet();
        }
    }
}
