// Any number of threads; a race on x needs four of them.
//
// EXPECT: race x
// EXPECT: safe relay
//
// relay counts 0, 1, 2 and stays at 3: the threads that found 2 and 3 write x. Two or three threads never do it both.
#include "circ.h"

int relay;
int x;

circ_thread void runner(void)
{
    int got;

    atomic {
        got = relay;
        if (relay < 3) {
            relay = relay + 1;
        }
    }
    switch (got) {
    case 0:
    case 1:
        break;
    case 2:
        x = 20;
        break;
    default:
        x = 30;
        break;
    }
}
