// A watchdog that is kicked only when all threads have reported since the last time.
//
// EXPECT: race alive
// EXPECT: safe kicks
//
// Threads report by a plain |=, so a report may be lost.
#include <stdint.h>
#include "circ.h"

#define ALL 0x07

uint8_t alive;
uint16_t kicks;

static void report(uint8_t bit)
{
    alive |= bit;
}

circ_threads(1) void sensor_loop(void)
{
    while (1) {
        if (nondet() > 0)
            report(0x01);
    }
}

circ_threads(1) void radio_loop(void)
{
    while (1)
        report(0x02);
}

circ_threads(1) void display_loop(void)
{
    int dirty;

    while (1) {
        dirty = nondet();
        if (dirty & 1)
            report(0x04);
    }
}

circ_threads(1) void supervisor(void)
{
    int all;

    while (1) {
        all = 0;
        atomic {
            if (alive == ALL) {
                alive = 0;
                all = 1;
            }
        }
        if (all)
            kicks++;
    }
}
