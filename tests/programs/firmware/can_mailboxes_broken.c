// Three CAN transmit mailboxes; a sender reserves one by its bit, the bus thread sends and frees it.
//
// EXPECT: race id[]
// EXPECT: safe reserved
// EXPECT: safe loaded
//
// Bits of reserved and loaded change in atomic only.
// The sender marks the mailbox as loaded in the same step in which it reserves it, before it writes the id.
#include <stdint.h>
#include "circ.h"

#define BOXES 3

uint8_t reserved, loaded;
uint16_t id[BOXES];

static int reserve(void)
{
    int i, got = -1;

    atomic {
        for (i = 0; i < BOXES && got < 0; i++) {
            if (!(reserved & (1u << i))) {
                reserved |= (uint8_t)(1u << i);
                loaded |= (uint8_t)(1u << i);
                got = i;
            }
        }
    }
    return got;
}

circ_thread void sender(void)
{
    int box;

    while (1) {
        box = reserve();
        if (box < 0)
            continue;
        id[box] = (uint16_t)(nondet() & 0x7ff);
    }
}

circ_threads(1) void bus(void)
{
    int i, full;
    uint16_t sent = 0;

    while (1) {
        for (i = 0; i < BOXES; i++) {
            atomic { full = (loaded >> i) & 1; }
            if (!full)
                continue;
            sent = (uint16_t)(sent + id[i]);
            atomic {
                loaded &= (uint8_t)~(1u << i);
                reserved &= (uint8_t)~(1u << i);
            }
        }
    }
}
