// An I2C master: main claims the bus, the interrupt runs the transfer byte by byte and gives the bus back.
//
// EXPECT: safe length
// EXPECT: safe bus
//
// bus is accessed in atomic only: IDLE, CLAIMED by main, RUNNING in the hands of the interrupt, DONE.
// length is written by main while CLAIMED, by the interrupt while RUNNING, and read by main after DONE.
#include <stdint.h>
#include "circ.h"

enum { IDLE, CLAIMED, RUNNING, DONE };

int i2c_on = 1;
uint8_t bus = IDLE;
uint8_t length;

static uint8_t bus_state(void)
{
    uint8_t s;

    atomic { s = bus; }
    return s;
}

static void set_bus(uint8_t s)
{
    atomic { bus = s; }
}

circ_interrupt(i2c_on) void i2c_event(void)
{
    if (bus_state() != RUNNING)
        return;
    if (length == 0 || nondet()) {
        set_bus(DONE);
        return;
    }
    length--;
}

static int start(uint8_t n)
{
    if (bus_state() != IDLE)
        return 0;
    set_bus(CLAIMED);
    length = n;
    set_bus(RUNNING);
    return 1;
}

int main(void)
{
    uint8_t missing, retries = 0;

    while (1) {
        if (!start(8))
            continue;
        while (bus_state() != DONE) {
        }
        missing = length;
        set_bus(IDLE);
        if (missing && ++retries > 3)
            break;
    }
    return 0;
}
