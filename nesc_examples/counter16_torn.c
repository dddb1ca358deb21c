// A 16-bit counter read on an 8-bit machine without switching interrupts off.
// CIRC: --platform atmega128
//
// EXPECT: race overflows
// EXPECT: safe longest
//
// The processor reads two bytes; a tick from 0x00ff to 0x0100 in between gives 0x0000 or 0x01ff.
// longest belongs to main.
#include <stdint.h>

#define TIMSK (*(volatile uint8_t *)0x57)
#define TCCR0 (*(volatile uint8_t *)0x53)
#define PINB (*(volatile uint8_t *)0x36)

#define TOIE0 0

#define TIMER0_OVF_vect __vector_16
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define cli() __asm__ volatile ("cli" ::: "memory")
#define sei() __asm__ volatile ("sei" ::: "memory")

static volatile uint16_t overflows;
static uint16_t longest;

ISR(TIMER0_OVF_vect)
{
    overflows++;
}

static uint16_t elapsed(void)
{
    uint16_t now;

    now = overflows;
    return now;
}

int main(void)
{
    uint16_t start, took;

    TCCR0 = 0x05;
    TIMSK |= 1 << TOIE0;
    sei();
    for (;;) {
        start = elapsed();
        while (PINB & 1) {
        }
        took = (uint16_t)(elapsed() - start);
        if (took > longest)
            longest = took;
    }
}
