// Two groups exclude each other by an atomic flag pair, and inside a group a second flag chooses one.
//
// EXPECT: safe cell
// EXPECT: safe group
// EXPECT: safe chosen
//
// group is 1 or 2 while a thread of that group is inside; chosen lets in one of the group.
#include "circ.h"

int group;
int chosen;
int cell;

static int enter(int g)
{
    int ok = 0;

    atomic {
        if (group == 0 && !chosen) {
            group = g;
            chosen = 1;
            ok = 1;
        }
    }
    return ok;
}

static void leave(void)
{
    atomic {
        group = 0;
        chosen = 0;
    }
}

circ_thread void red(void)
{
    while (1) {
        if (enter(1)) {
            cell = cell + 1;
            leave();
        }
    }
}

circ_thread void blue(void)
{
    while (1) {
        if (enter(2)) {
            cell = cell - 1;
            leave();
        }
    }
}
