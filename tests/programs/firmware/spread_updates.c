// Updates of single bytes that are spread over statements, a function, a branch; two bytes that belong together; a flag
// that a function polls. Each access by itself is one instruction of an 8-bit machine, and still something is lost.
// CIRC: --data-model ip16
//
// EXPECT: race count
// EXPECT: race next
// EXPECT: race mode
// EXPECT: race stamp.low
// EXPECT: race done
//
// Who asks for single accesses only (--race-model machine) is told that such updates are not looked at; without being asked
// nobody is to be told that these are safe.
#include <stdint.h>
#include "circ.h"

int timer_on = 1;
volatile uint8_t count, next, mode;
volatile struct { uint8_t low, high; } stamp, seen;
uint8_t done;

circ_interrupt(timer_on) void timer_overflow(void)
{
    count++;
    next++;
    mode = 5;
    if (++stamp.low == 0)
        stamp.high++;
    done = 1;
}

static uint8_t successor(uint8_t n)
{
    return (uint8_t)(n + 1);
}

static uint8_t is_done(void)
{
    return done;
}

int main(void)
{
    for (;;) {
        uint8_t old = count;

        old++;
        count = old;
        next = successor(next);
        old = mode;
        if (old == 9)
            mode = 0;
        else
            mode = (uint8_t)(old + 1);
        seen.low = stamp.low;
        seen.high = stamp.high;
        while (!is_done())
            ;
    }
}
