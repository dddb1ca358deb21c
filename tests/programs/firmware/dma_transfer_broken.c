// A DMA channel: the descriptor belongs to the CPU or to the controller, never to both.
//
// EXPECT: safe desc.source
// EXPECT: race desc.count
// EXPECT: safe owner
//
// owner changes inside atomic: 0 the CPU, 1 the controller.
// The CPU looks at the remaining count for its progress bar while the controller owns the descriptor.
#include <stdint.h>
#include "circ.h"

struct descriptor {
    uint16_t source;
    uint8_t count;
};

struct descriptor desc;
uint8_t owner;

static int owned_by(uint8_t who)
{
    int yes;

    atomic { yes = owner == who; }
    return yes;
}

circ_threads(1) void controller(void)
{
    while (1) {
        if (!owned_by(1))
            continue;
        while (desc.count > 0) {
            desc.source += 2;
            desc.count--;
        }
        atomic { owner = 0; }
    }
}

int main(void)
{
    uint8_t progress = 0;

    while (1) {
        if (owned_by(0)) {
            desc.source = (uint16_t)nondet();
            desc.count = 16;
            progress = 0;
            atomic { owner = 1; }
        } else {
            progress = desc.count;
        }
    }
}
