// A window of four frames between a sender and a receiver with free-running sequence numbers of eight bits.
//
// EXPECT: safe window[]
// EXPECT: safe next_seq
// EXPECT: safe expected
//
// The numbers are accessed in atomic only; their difference is the fill level.
// The sender writes slot next_seq % 4 while at most three frames are open, the receiver reads slot expected % 4 while
// one is open: never the same slot.
#include <stdint.h>
#include "circ.h"

#define WINDOW 4

uint8_t next_seq, expected;
int window[WINDOW];

circ_threads(1) void sender(void)
{
    uint8_t open, at;

    while (1) {
        atomic {
            open = (uint8_t)(next_seq - expected);
            at = next_seq;
        }
        if (open >= WINDOW)
            continue;
        window[at % WINDOW] = at;
        atomic { next_seq++; }
    }
}

circ_threads(1) void receiver(void)
{
    uint8_t open, at;
    int v = 0;

    while (1) {
        atomic {
            open = (uint8_t)(next_seq - expected);
            at = expected;
        }
        if (open == 0)
            continue;
        v += window[at % WINDOW];
        atomic { expected++; }
    }
}
