// The same without care: the handler comes between two accesses of main that belong together, in each of the four ways.
// CIRC: --platform atmega128 --property atomicity
//
// EXPECT: violated level
// EXPECT: violated limit
// EXPECT: violated pending
// EXPECT: violated shown
//
// level is read twice, and the handler may write it in between: what was compared is not what is put out. limit is written and
// read back, and is the handler's by then. What the handler adds to pending between the read and the write is lost. shown is
// cleared first and set then, and the handler may show what was never meant to be seen.
#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>

static volatile uint8_t level, limit, pending, shown;

ISR(TIMER0_OVF_vect)
{
    level = PINB;
    if (level > limit)
        limit = level;
    pending |= 1;
    PORTA = shown;
}

int main(void)
{
    TIMSK |= 1 << TOIE0;
    sei();
    for (;;) {
        if (level > 100)
            PORTB = level;

        limit = 20;
        PORTC = limit;

        uint8_t work = pending;
        pending = 0;

        shown = 0;
        if (work)
            shown = 2;
    }
}
