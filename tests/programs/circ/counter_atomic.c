// A shared event counter, every access inside atomic.
//
// EXPECT: safe events
// EXPECT: safe last_code
//
// Both variables are accessed in atomic sections only: no predicate is needed.
#include "circ.h"

unsigned int events;
int last_code;

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
        atomic {
            events++;
            last_code = code;
        }
    }
}

circ_threads(1) void reporter(void)
{
    unsigned int seen = 0, now;
    int code;

    while (1) {
        atomic {
            now = events;
            code = last_code;
        }
        if (now != seen) {
            seen = now;
            if (code < 0) {
                atomic { events = 0; }
            }
        }
    }
}
