// Split phase for a handler that may interrupt itself: it takes the enable flag down in one step with looking at it.
//
// EXPECT: safe rec_ptr
// EXPECT: safe posted
// EXPECT: safe enabled
//
// Of several instances of the handler one finds the flag up. It posts after its last access to rec_ptr, and the task puts
// the flag up again after its own, so the flag, the post and the right to use rec_ptr are one token. The task's plain
// write of `enabled` meets accesses inside atomic only.
#include "circ.h"

int enabled = 1;
int posted;
int rec_ptr;

circ_interrupt(enabled) void on_receive(void)
{
    int mine;

    atomic {
        mine = enabled;
        enabled = 0;
    }
    if (!mine) {
        return;
    }
    rec_ptr = rec_ptr + 1;
    atomic { posted = 1; }
}

circ_task void deliver(void)
{
    int run;

    atomic {
        run = posted;
        posted = 0;
    }
    if (run) {
        rec_ptr = 0;
        enabled = 1;
    }
}
