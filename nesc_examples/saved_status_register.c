// A critical section that saves and restores the status register, so that it nests.
// CIRC: --platform atmega128
//
// EXPECT: safe credits
//
// use_credit may be called with interrupts on or off; either way they are off during the read-modify-write, and
// restored to what they were.
#include <stdint.h>

#define SREG (*(volatile uint8_t *)0x5F)
#define UCSR0B (*(volatile uint8_t *)0x2A)
#define PORTA (*(volatile uint8_t *)0x3B)

#define UDRIE0 5
#define TXEN0 3

#define USART0_UDRE_vect __vector_19
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define cli() __asm__ volatile ("cli" ::: "memory")
#define sei() __asm__ volatile ("sei" ::: "memory")

static uint8_t credits;

static uint8_t enter(void)
{
    uint8_t saved = SREG;

    cli();
    return saved;
}

static void leave(uint8_t saved)
{
    SREG = saved;
}

ISR(USART0_UDRE_vect)
{
    if (credits < 16)
        credits++;
}

static uint8_t use_credit(void)
{
    uint8_t saved = enter(), ok = 0;

    if (credits > 0) {
        credits--;
        ok = 1;
    }
    leave(saved);
    return ok;
}

static uint8_t use_two(void)
{
    uint8_t saved = enter(), n;

    n = use_credit();
    n += use_credit();
    if (n == 1)
        credits++;
    leave(saved);
    return n;
}

int main(void)
{
    uint8_t sent = 0;

    UCSR0B = (1 << UDRIE0) | (1 << TXEN0);
    sei();
    for (;;) {
        sent += use_two();
        if (use_credit())
            sent++;
        PORTA = sent;
    }
}
