// CIRC: --ints math
// A ticket lock for three threads with int counters, one that never wraps in --ints math.
//
// EXPECT: safe value
// EXPECT: safe now_serving
// EXPECT: safe next_ticket
//
// Tickets are pairwise different and each waiting ticket is at least now_serving.
#include "circ.h"

int next_ticket;
int now_serving;
int value;

circ_threads(3) void customer(void)
{
    int ticket, turn;

    while (1) {
        atomic {
            ticket = next_ticket;
            next_ticket = next_ticket + 1;
        }
        do {
            atomic { turn = now_serving; }
        } while (turn != ticket);
        value = value + 1;
        now_serving = now_serving + 1;
    }
}
