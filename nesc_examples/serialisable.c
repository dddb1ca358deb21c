// Four bytes between a handler and main, each of which one instruction reads or writes: is what main does with them whole?
// CIRC: --platform atmega128 --property atomicity
//
// EXPECT: safe level
// EXPECT: safe limit
// EXPECT: safe pending
// EXPECT: safe shown
// EXPECT: safe ready
//
// Two accesses of main to one byte belong together, and no access of the handler may come between them that no order of the two
// explains. main copies the level once and works with the copy, has interrupts off while it writes the limit and reads it
// back and while it takes what is pending, and writes what is shown once. That it reads ready again and again is no such pair:
// each turn of a loop is for itself.
#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>

static volatile uint8_t level, limit, pending, shown, ready;

ISR(TIMER0_OVF_vect)
{
    level = PINB;
    if (level > limit)
        limit = level;
    pending |= 1;
    PORTA = shown;
    ready = 1;
}

int main(void)
{
    TIMSK |= 1 << TOIE0;
    sei();
    while (!ready)
        ;
    for (;;) {
        uint8_t now = level;
        if (now > 100)
            PORTB = now;

        cli();
        limit = 20;
        PORTC = limit;
        sei();

        cli();
        uint8_t work = pending;
        pending = 0;
        sei();

        shown = work ? 2 : 1;
    }
}
