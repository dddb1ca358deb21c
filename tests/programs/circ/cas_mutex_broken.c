// A mutex by a compare-and-swap whose result is looked at the wrong way round.
//
// EXPECT: race resource
// EXPECT: race word
//
// The threads that do NOT get the word enter: after one took it, any number of them is inside.
#include "circ.h"

enum { FREE = 0, TAKEN = 1 };

int word = FREE;
int resource;

static int compare_and_swap(int expected, int desired)
{
    int ok;

    atomic {
        ok = word == expected;
        if (ok) {
            word = desired;
        }
    }
    return ok;
}

circ_thread void client(void)
{
    while (1) {
        while (compare_and_swap(FREE, TAKEN)) {
            continue;
        }
        resource++;
        if (resource < 0) {
            resource = 0;
        }
        word = FREE;
    }
}
