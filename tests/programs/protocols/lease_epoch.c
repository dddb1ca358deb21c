// A lease that is numbered by a four-bit epoch: after sixteen leases the number comes again.
//
// EXPECT: race store
// EXPECT: safe epoch
//
// A holder compares its epoch with the current one and then writes. A slow one passes the check, falls behind by one
// lease, and meets the next holder: the check and the write are not one step.
#include <stdint.h>
#include "circ.h"

uint8_t epoch;
int store;

circ_thread void holder(void)
{
    uint8_t mine;
    int valid;

    while (1) {
        atomic {
            epoch = (epoch + 1) & 15;
            mine = epoch;
        }
        atomic { valid = mine == epoch; }
        if (!valid)
            continue;
        store = mine;
    }
}
