// Deferred work: the interrupt takes the sample and switches itself off, main does the long part and switches it on again.
// CIRC: --platform atmega128
//
// EXPECT: race sample
//
// main sets the enable bit before it has finished with the sample.
#include <stdint.h>

#define TIMSK (*(volatile uint8_t *)0x57)
#define PORTA (*(volatile uint8_t *)0x3B)
#define PINB (*(volatile uint8_t *)0x36)

#define OCIE2 7

#define TIMER2_COMP_vect __vector_9
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define sei() __asm__ volatile ("sei" ::: "memory")

static uint16_t sample;

ISR(TIMER2_COMP_vect)
{
    sample = (uint16_t)(PINB * 5);
    TIMSK &= (uint8_t)~(1 << OCIE2);
}

int main(void)
{
    uint16_t average = 0;

    TIMSK |= 1 << OCIE2;
    sei();
    for (;;) {
        if (TIMSK & (1 << OCIE2))
            continue;
        TIMSK |= 1 << OCIE2;
        average = (uint16_t)((average * 3 + sample) / 4);
        sample = 0;
        PORTA = (uint8_t)(average >> 2);
    }
}
