// A millisecond tick with software timeouts that main starts and polls.
// CIRC: --platform atmega128
//
// EXPECT: race timeout
// EXPECT: safe milliseconds
//
// main polls the 16-bit timeout with interrupts on.
// milliseconds is touched by the handler alone.
#include <stdint.h>

#define TIMSK (*(volatile uint8_t *)0x57)
#define OCR0 (*(volatile uint8_t *)0x51)
#define PORTA (*(volatile uint8_t *)0x3B)
#define PINB (*(volatile uint8_t *)0x36)

#define OCIE0 1

#define TIMER0_COMP_vect __vector_15
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define cli() __asm__ volatile ("cli" ::: "memory")
#define sei() __asm__ volatile ("sei" ::: "memory")

static volatile uint16_t timeout;
static uint32_t milliseconds;

ISR(TIMER0_COMP_vect)
{
    milliseconds++;
    if (timeout != 0)
        timeout--;
}

static void start_timeout(uint16_t ms)
{
    cli();
    timeout = ms;
    sei();
}

static uint8_t timed_out(void)
{
    uint16_t left;

    left = timeout;
    return left == 0;
}

int main(void)
{
    OCR0 = 124;
    TIMSK |= 1 << OCIE0;
    sei();
    for (;;) {
        start_timeout(250);
        while (!timed_out()) {
            if (PINB & 4)
                break;
        }
        PORTA ^= 1;
    }
}
