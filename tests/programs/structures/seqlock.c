// A sequence lock: the writer makes the number odd, writes, and makes it even again; readers retry.
//
// EXPECT: race low
// EXPECT: race high
// EXPECT: safe sequence
//
// Readers do read while the writer writes (and throw the result away): a data race by definition. The sequence number
// is accessed in atomic only.
#include "circ.h"

unsigned sequence;
int low, high;

circ_threads(1) void clock_tick(void)
{
    while (1) {
        atomic { sequence++; }
        low = low + 1;
        if (low == 4) {
            low = 0;
            high = high + 1;
        }
        atomic { sequence++; }
    }
}

circ_thread void reader(void)
{
    unsigned before, after;
    int l, h;

    do {
        atomic { before = sequence; }
        l = low;
        h = high;
        atomic { after = sequence; }
    } while (before != after || (before & 1));
    if (h > l)
        l = h;
}
