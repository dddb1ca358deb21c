// State shared by tasks only: they run to completion, one at a time.
//
// EXPECT: safe history[]
// EXPECT: safe at
//
// No task preempts another, so no protection is needed.
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
