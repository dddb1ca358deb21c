// A watchdog that is kicked only when all threads have reported since the last time.
//
// EXPECT: safe alive
// EXPECT: safe kicks
//
// The mask of reports changes in atomic only; kicks is counted by the supervisor alone.
#include <stdint.h>
#include "circ.h"

#define ALL 0x07

uint8_t alive;
uint16_t kicks;

static void report(uint8_t bit)
{
    atomic { alive |= bit; }
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
