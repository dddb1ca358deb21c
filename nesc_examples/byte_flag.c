// A byte as a flag, a counter of two bytes and one of events: what one instruction does needs no protection on this machine.
// CIRC: --platform atmega328p --race-model machine
//
// EXPECT: safe ready
// EXPECT: safe ticks
// EXPECT: safe events
//
// The race model is that of the machine. ready is one byte and volatile: who reads it sees it set or not. ticks takes two
// instructions, so main switches interrupts off to read it, and to count events it does the same: the handler counts, too.
#include <stdint.h>

#define SREG (*(volatile uint8_t *)0x5F)
#define TIMSK0 (*(volatile uint8_t *)0x6E)
#define PORTB (*(volatile uint8_t *)0x25)
#define TOIE0 0
#define TIMER0_OVF_vect __vector_16
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define cli() __asm__ volatile ("cli" ::: "memory")
#define sei() __asm__ volatile ("sei" ::: "memory")

static volatile uint8_t ready, events;
static volatile uint16_t ticks;

ISR(TIMER0_OVF_vect)
{
    ticks++;
    events++;
    ready = 1;
}

static uint16_t now(void)
{
    uint8_t sreg = SREG;
    uint16_t t;
    cli();
    t = ticks;
    SREG = sreg;
    return t;
}

int main(void)
{
    TIMSK0 |= 1 << TOIE0;
    sei();
    for (;;) {
        while (!ready)
            ;
        ready = 0;
        PORTB = (uint8_t)now();
        cli();
        events--;
        sei();
    }
}
