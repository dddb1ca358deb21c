// A shared event counter that nobody protects.
//
// EXPECT: race events
//
// events = events + 1 is a read and a write; two threads can be at the write together.
#include "circ.h"

int events;

static int interesting(int code)
{
    return code != 0 && (code & 0x40) == 0;
}

circ_thread void sensor(void)
{
    int code;

    while (1) {
        code = nondet();
        if (!interesting(code)) {
            continue;
        }
        events = events + 1;
    }
}
