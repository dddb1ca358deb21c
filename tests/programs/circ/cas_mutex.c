// A mutex by compare-and-swap.
//
// EXPECT: safe resource
// EXPECT: safe word
//
// cas(FREE, TAKEN) succeeds for one thread at a time; only the thread that succeeded writes `word` plainly.
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
        while (!compare_and_swap(FREE, TAKEN)) {
            continue;
        }
        resource++;
        if (resource < 0) {
            resource = 0;
        }
        word = FREE;
    }
}
