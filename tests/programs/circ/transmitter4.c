// A transmitter with four states; the thread that moves the state on owns the frame.
//
// EXPECT: safe state
// EXPECT: safe frame
// EXPECT: safe crc
//
// All accesses to `state` are inside atomic sections. A thread works on the frame only after it has moved the state
// from IDLE to LOAD, LOADED to SEND, or SENT to CHECK, each of which one thread alone can do.
// crc is written in LOAD and read in CHECK, before the state moves on.
#include "circ.h"

enum { IDLE, LOAD, LOADED, SEND, SENT, CHECK };

int state = IDLE;
int frame;
int crc;

static int step(int from, int to)
{
    int moved = 0;

    atomic {
        if (state == from) {
            state = to;
            moved = 1;
        }
    }
    return moved;
}

static void leave(int to)
{
    atomic { state = to; }
}

circ_thread void radio(void)
{
    int good;

    while (1) {
        if (step(IDLE, LOAD)) {
            frame = nondet();
            crc = 0x1d0f;
            leave(LOADED);
        } else if (step(LOADED, SEND)) {
            frame = frame << 1;
            leave(SENT);
        } else if (step(SENT, CHECK)) {
            good = crc == 0x1d0f;
            if (!good) {
                frame = 0;
            }
            leave(IDLE);
        }
    }
}
