// Split phase without the enable flag doing its work: it is never cleared, the handler may fire at any time.
//
// EXPECT: race rec_ptr
// EXPECT: safe posted
//
// The handler comes again while the task is at its write of rec_ptr.
#include "circ.h"

int enabled = 1;
int posted;
int rec_ptr;

circ_interrupt(enabled) void on_receive(void)
{
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
