// Software timers: armed by main, counted down by the tick handler.
//
// EXPECT: race remaining[]
// EXPECT: safe expired
//
// arm writes the table plainly.
#include <stdint.h>
#include "circ.h"

#define TIMERS 3

int tick_on = 1;
uint8_t remaining[TIMERS];
uint8_t expired;

circ_interrupt(tick_on) void tick(void)
{
    uint8_t i;

    for (i = 0; i < TIMERS; i++) {
        if (remaining[i] != 0) {
            remaining[i]--;
            if (remaining[i] == 0)
                expired |= (uint8_t)(1u << i);
        }
    }
}

static void arm(uint8_t which, uint8_t duration)
{
    remaining[which] = duration;
    atomic { expired &= (uint8_t)~(1u << which); }
}

static int has_expired(uint8_t which)
{
    int e;

    atomic { e = (expired >> which) & 1; }
    return e;
}

int main(void)
{
    arm(0, 10);
    arm(1, 25);
    while (1) {
        if (has_expired(0)) {
            arm(0, 10);
        } else if (has_expired(1)) {
            arm(1, 25);
            arm(2, 5);
        }
    }
}
