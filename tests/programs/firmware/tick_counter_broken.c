// A system tick: the timer interrupt counts, main measures durations.
//
// EXPECT: race ticks
// EXPECT: safe overruns
//
// main reads the counter without switching the interrupt off: on an 8-bit machine the two bytes may not fit.
// overruns belongs to main alone.
#include <stdint.h>
#include "circ.h"

int timer_on = 1;
uint16_t ticks;
uint16_t overruns;

circ_interrupt(timer_on) void timer_overflow(void)
{
    ticks++;
}

static uint16_t now(void)
{
    uint16_t t;

    t = ticks;
    return t;
}

static void do_work(uint8_t amount)
{
    while (amount-- > 0) {
        if (nondet())
            return;
    }
}

int main(void)
{
    uint16_t start, took;

    for (;;) {
        start = now();
        do_work(20);
        took = (uint16_t)(now() - start);
        if (took > 50)
            overruns++;
    }
}
