// A connection control block shared by user threads, the network thread and the timer; the state says who may touch it.
//
// EXPECT: race peer
// EXPECT: safe state
//
// All state changes are atomic. Each of them is made by one thread, which owns the block in the states ending in -ING.
// The timer closes a connection that is still OPENING: it reads peer while the opener writes it.
#include "circ.h"

enum { CLOSED, OPENING, OPEN, CLOSING };

int state = CLOSED;
int peer;

static int move(int from, int to)
{
    int ok = 0;

    atomic {
        if (state == from) {
            state = to;
            ok = 1;
        }
    }
    return ok;
}

circ_thread void user(void)
{
    while (1) {
        if (move(CLOSED, OPENING)) {
            peer = nondet();
            if (peer == 0)
                peer = 1;
            move(OPENING, OPEN);
        }
    }
}

circ_threads(1) void network(void)
{
    int last = 0;

    while (1) {
        if (move(OPEN, CLOSING)) {
            last = peer;
            move(CLOSING, CLOSED);
        }
        if (last < 0)
            last = 0;
    }
}

circ_threads(1) void timer(void)
{
    int stale = 0;

    while (1) {
        if (move(OPEN, CLOSING) || move(OPENING, CLOSING)) {
            stale = stale + peer;
            move(CLOSING, CLOSED);
        }
    }
}
