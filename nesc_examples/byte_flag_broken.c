// A byte as a flag, a counter of two bytes and one of events: three things that go wrong between instructions.
// CIRC: --platform atmega328p --race-model machine
//
// EXPECT: race ready
// EXPECT: race ticks
// EXPECT: race events
//
// ready is not volatile, so that a compiler may read it once and wait for ever; ticks is read in two halves, between which the
// handler may come; and what the handler counts while main has read events and not yet written it back is lost.
#include <stdint.h>

#define TIMSK0 (*(volatile uint8_t *)0x6E)
#define PORTB (*(volatile uint8_t *)0x25)
#define TOIE0 0
#define TIMER0_OVF_vect __vector_16
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define sei() __asm__ volatile ("sei" ::: "memory")

static uint8_t ready;
static volatile uint8_t events;
static volatile uint16_t ticks;

ISR(TIMER0_OVF_vect)
{
    ticks++;
    events++;
    ready = 1;
}

static uint16_t now(void)
{
    return ticks;
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
        events--;
    }
}
