// A ticket lock that takes its ticket in two steps.
//
// EXPECT: race value
// EXPECT: race now_serving
// EXPECT: race next_ticket
//
// Two threads read the same next_ticket: the same number is served to both.
#include "circ.h"

unsigned char next_ticket;
unsigned char now_serving;
int value;

static unsigned char take_ticket(void)
{
    unsigned char t;

    t = next_ticket;
    next_ticket = t + 1;
    return t;
}

static int my_turn(unsigned char ticket)
{
    int yes;

    atomic { yes = now_serving == ticket; }
    return yes;
}

circ_threads(2) void customer(void)
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
