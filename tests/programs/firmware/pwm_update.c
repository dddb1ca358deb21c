// A PWM duty table: main prepares a new value, the period interrupt takes it over at the period's end.
//
// EXPECT: safe next_duty
// EXPECT: safe duty
// EXPECT: safe update
//
// duty belongs to the interrupt; update is accessed in atomic only.
// main writes next_duty only while update is 0, the interrupt reads it only while it is 1.
#include <stdint.h>
#include "circ.h"

int period_on = 1;
uint8_t duty, next_duty;
uint8_t update;

circ_interrupt(period_on) void period_end(void)
{
    uint8_t u;

    atomic { u = update; }
    if (u) {
        duty = next_duty;
        atomic { update = 0; }
    }
    if (duty > 200)
        duty = 200;
}

static int update_pending(void)
{
    uint8_t u;

    atomic { u = update; }
    return u;
}

int main(void)
{
    uint8_t d = 0;

    while (1) {
        d = (uint8_t)(d + nondet());
        if (update_pending())
            continue;
        next_duty = d;
        if (!update_pending())
            atomic { update = 1; }
    }
}
