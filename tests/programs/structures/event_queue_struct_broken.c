// A queue of event structs between many sources and one dispatcher.
//
// EXPECT: race events[].kind
// EXPECT: race events[].data
// EXPECT: safe pending
//
// Sources reserve a slot atomically but fill it outside; after the dispatcher took `pending` down two sources have
// the same slot.
#include "circ.h"

#define DEPTH 4

struct event {
    int kind;
    int data;
};

struct event events[DEPTH];
unsigned char pending;

circ_thread void source(void)
{
    int slot;

    while (1) {
        slot = -1;
        atomic {
            if (pending < DEPTH) {
                slot = pending++;
            }
        }
        if (slot >= 0) {
            events[slot].kind = 1;
            events[slot].data = nondet();
        }
    }
}

circ_threads(1) void dispatcher(void)
{
    struct event e;
    int have, total = 0;

    while (1) {
        have = 0;
        atomic {
            if (pending > 0) {
                pending--;
                e.kind = events[pending].kind;
                e.data = events[pending].data;
                have = 1;
            }
        }
        if (have && e.kind == 1)
            total += e.data;
    }
}
