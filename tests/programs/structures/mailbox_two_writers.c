// A one-place mailbox with a full flag.
//
// EXPECT: race letter
// EXPECT: race full
//
// full is polled by one side and set by the other: a race in the model's sense.
// Two writers both see full == 0 and write together.
#include "circ.h"

int full;
int letter;

circ_threads(2) void writer(void)
{
    int n = 0;

    while (1) {
        while (full) {
        }
        letter = n++;
        full = 1;
    }
}

circ_threads(1) void reader(void)
{
    int got, sum = 0;

    while (1) {
        while (!full) {
        }
        got = letter;
        full = 0;
        sum += got;
    }
}
