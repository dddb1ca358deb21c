// A lease that is given back by its holder before the next one is given out.
//
// EXPECT: safe store
// EXPECT: safe epoch
// EXPECT: safe held
//
// held is set by the taker inside atomic and cleared by it after its last write.
#include <stdint.h>
#include "circ.h"

uint8_t epoch;
uint8_t held;
int store;

circ_thread void holder(void)
{
    uint8_t mine;
    int valid;

    while (1) {
        valid = 0;
        atomic {
            if (!held) {
                held = 1;
                epoch = (epoch + 1) & 15;
                mine = epoch;
                valid = 1;
            }
        }
        if (!valid)
            continue;
        store = mine;
        atomic { held = 0; }
    }
}
