// Buttons: the handler debounces and queues one event, main consumes it; all hand-over in atomic.
//
// EXPECT: safe event
// EXPECT: safe stable
// EXPECT: safe counter
//
// event is accessed in atomic by both sides; stable and counter belong to the handler.
#include <stdint.h>
#include "circ.h"

enum { NONE, PRESSED, RELEASED };

int scan_on = 1;
uint8_t event;
uint8_t stable, counter;

circ_interrupt(scan_on) void scan(void)
{
    uint8_t raw = (uint8_t)(nondet() & 1);

    if (raw == stable) {
        counter = 0;
        return;
    }
    if (++counter < 5)
        return;
    counter = 0;
    stable = raw;
    atomic { event = raw ? PRESSED : RELEASED; }
}

static uint8_t next_event(void)
{
    uint8_t e;

    atomic {
        e = event;
        event = NONE;
    }
    return e;
}

int main(void)
{
    int menu = 0;

    while (1) {
        switch (next_event()) {
        case PRESSED:
            menu = (menu + 1) % 4;
            break;
        case RELEASED:
        case NONE:
            break;
        }
    }
}
