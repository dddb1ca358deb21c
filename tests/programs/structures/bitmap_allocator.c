// A bitmap of four slots; the thread that set a slot's bit owns the slot until it clears it.
//
// EXPECT: safe slot[]
// EXPECT: safe bitmap
//
// A bit is found clear and set in one atomic section, so two owners have different slots.
#include "circ.h"

#define SLOTS 4

unsigned char bitmap;
int slot[SLOTS];

static int allocate(void)
{
    int i, found = -1;

    atomic {
        for (i = 0; i < SLOTS; i++) {
            if (!(bitmap & (1u << i))) {
                bitmap |= 1u << i;
                found = i;
                break;
            }
        }
    }
    return found;
}

static void release(int i)
{
    atomic { bitmap &= ~(1u << i); }
}

circ_thread void client(void)
{
    int mine;

    while (1) {
        mine = allocate();
        if (mine < 0)
            continue;
        slot[mine] = nondet();
        if (slot[mine] < 0)
            slot[mine] = 0;
        release(mine);
    }
}
