// A one-place mailbox with a full flag.
//
// EXPECT: safe letter
// EXPECT: race full
//
// full is polled by one side and set by the other: a race in the model's sense.
// With one writer and one reader the flag hands the letter over: the writer writes only while full is 0, the
// reader reads only while it is 1.
#include "circ.h"

int full;
int letter;

circ_threads(1) void writer(void)
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
