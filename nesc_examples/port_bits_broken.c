// Bits of a port, set and cleared by main and by a handler: two of them at once.
// CIRC: --platform atmega328p --race-model machine
//
// EXPECT: race PORTB
//
// main switches two relays by one statement: it reads the port, and what the handler does to the LED before it writes is lost.
#include <stdint.h>

#define TIMSK0 (*(volatile uint8_t *)0x6E)
#define PORTB (*(volatile uint8_t *)0x25)
#define PINB (*(volatile uint8_t *)0x23)
#define TOIE0 0
#define TIMER0_OVF_vect __vector_16
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define cli() __asm__ volatile ("cli" ::: "memory")
#define sei() __asm__ volatile ("sei" ::: "memory")
#define LED 5
#define RELAYS 0x18

static uint8_t phase;

ISR(TIMER0_OVF_vect)
{
    if (++phase & 0x40)
        PORTB |= 1 << LED;
    else
        PORTB &= (uint8_t)~(1 << LED);
}

int main(void)
{
    TIMSK0 |= 1 << TOIE0;
    sei();
    for (;;) {
        if (PINB & 1)
            PORTB |= RELAYS;
        else
            PORTB &= (uint8_t)~RELAYS;
    }
}
