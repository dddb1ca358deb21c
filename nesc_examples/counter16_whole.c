// A 16-bit counter read on an 8-bit machine with interrupts off.
// CIRC: --platform atmega128
//
// EXPECT: safe overflows
// EXPECT: safe longest
//
// Main's read cannot be torn: the handler does not start between cli and sei.
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

    cli();
    now = overflows;
    sei();
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
