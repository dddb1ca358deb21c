// State shared by tasks and, by mistake, by a handler.
//
// EXPECT: safe history[]
// EXPECT: race at
//
// The handler resets the index while a task is about to use it. The array is still touched by tasks alone.
#include <stdint.h>
#include "circ.h"

#define DEPTH 4

uint16_t history[DEPTH];
uint8_t at;

circ_task void take_sample(void)
{
    history[at] = (uint16_t)(nondet() & 0x3ff);
    at = (uint8_t)((at + 1) % DEPTH);
}

circ_task void smooth(void)
{
    uint32_t sum = 0;
    uint8_t i;

    for (i = 0; i < DEPTH; i++)
        sum += history[i];
    history[at] = (uint16_t)(sum / DEPTH);
}

int overrun_on = 1;

circ_interrupt(overrun_on) void adc_overrun(void)
{
    at = 0;
}
