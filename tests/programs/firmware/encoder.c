// A rotary encoder decoded in the interrupt; main takes the accumulated steps.
//
// EXPECT: safe steps
// EXPECT: safe last_phase
//
// main takes and clears the steps in one atomic section; last_phase belongs to the handler.
#include <stdint.h>
#include "circ.h"

int pins_on = 1;
int8_t steps;
uint8_t last_phase;

static const int8_t direction[16] = {
    0, 1, -1, 0, -1, 0, 0, 1, 1, 0, 0, -1, 0, -1, 1, 0,
};

circ_interrupt(pins_on) void pin_change(void)
{
    uint8_t phase = (uint8_t)(nondet() & 3);

    steps = (int8_t)(steps + direction[(last_phase << 2) | phase]);
    last_phase = phase;
}

static int8_t take_steps(void)
{
    int8_t s;

    atomic {
        s = steps;
        steps = 0;
    }
    return s;
}

int main(void)
{
    int volume = 50;

    while (1) {
        volume += take_steps();
        if (volume < 0)
            volume = 0;
        if (volume > 100)
            volume = 100;
    }
}
