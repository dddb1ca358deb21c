// Split phase: the handler fires only while enabled, disables itself, and the task enables it again.
//
// EXPECT: safe rec_ptr
// EXPECT: safe posted
//
// The handler clears `enabled` before it posts; the task runs only when posted and sets `enabled` again as its last
// act, so whenever one of them is at an access of rec_ptr, the other is not. posted is accessed in atomic only.
#include "circ.h"

int enabled = 1;
int posted;
int rec_ptr;

circ_interrupt(enabled) void on_receive(void)
{
    enabled = 0;
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
