// Bus arbitration by position: among the requesters the lowest number is granted the bus.
//
// EXPECT: race bus_data
// EXPECT: safe requests
// EXPECT: safe granted
//
// The arbiter grants again while somebody still holds the bus.
#include <stdint.h>
#include "circ.h"

#define NOBODY 9

uint8_t requests;
uint8_t granted = NOBODY;
int bus_data;

circ_threads(1) void arbiter(void)
{
    int i;

    while (1) {
        atomic {
                for (i = 0; i < 3; i++) {
                    if (requests & (1u << i)) {
                        granted = (uint8_t)i;
                        requests &= (uint8_t)~(1u << i);
                        break;
                    }
                }
        }
    }
}

circ_threads(3) void master(int self)
{
    int mine;

    while (1) {
        atomic { requests |= (uint8_t)(1u << self); }
        do {
            atomic { mine = granted == self; }
        } while (!mine);
        bus_data = self;
        atomic { granted = NOBODY; }
    }
}
