// The bounded buffer with the semaphores `free` and `used`.
//
// EXPECT: race place
// EXPECT: safe free_places
// EXPECT: safe used_places
//
// One place: free_places + used_places + (threads inside) is 1.
// The consumer gives the place back before it has read it.
#include "circ.h"

int free_places = 1, used_places;
int place;

circ_thread void producer(void)
{
    int got;

    while (1) {
        got = 0;
        atomic {
            if (free_places > 0) {
                free_places--;
                got = 1;
            }
        }
        if (got) {
            place = nondet();
            atomic { used_places++; }
        }
    }
}

circ_thread void consumer(void)
{
    int got, v = 0;

    while (1) {
        got = 0;
        atomic {
            if (used_places > 0) {
                used_places--;
                got = 1;
            }
        }
        if (got) {
            atomic { free_places++; }
            v += place;
        }
    }
}
