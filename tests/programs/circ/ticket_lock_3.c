// A ticket lock for three threads.
//
// EXPECT: safe value
// EXPECT: safe next_ticket
// EXPECT: safe now_serving
//
// Tickets are handed out atomically, so they differ as long as fewer than 256 threads wait; the 8-bit counters
// wrap together. now_serving is advanced by the thread being served alone; waiting threads read it in atomic.
#include "circ.h"

unsigned char next_ticket;
unsigned char now_serving;
int value;

static unsigned char take_ticket(void)
{
    unsigned char t;

    atomic {
        t = next_ticket;
        next_ticket = t + 1;
    }
    return t;
}

static int my_turn(unsigned char ticket)
{
    int yes;

    atomic { yes = now_serving == ticket; }
    return yes;
}

circ_threads(3) void customer(void)
{
    unsigned char ticket;

    while (1) {
        ticket = take_ticket();
        while (!my_turn(ticket)) {
        }
        value = value + 1;
        now_serving = now_serving + 1;
    }
}
