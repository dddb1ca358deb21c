// An echo: the receive interrupt queues a byte, the data-register-empty interrupt sends it and switches itself off.
// CIRC: --platform atmega128 --race-model nesc
//
// EXPECT: safe fifo[]
// EXPECT: safe level
// EXPECT: safe errors
//
// Both handlers run with interrupts off, so neither preempts the other: what they share needs no protection.
// main looks at the level with interrupts off.
#include <stdint.h>

#define UDR0 (*(volatile uint8_t *)0x2C)
#define UCSR0B (*(volatile uint8_t *)0x2A)
#define PORTA (*(volatile uint8_t *)0x3B)
#define PINB (*(volatile uint8_t *)0x36)

#define RXCIE0 7
#define UDRIE0 5
#define RXEN0 4
#define TXEN0 3

#define USART0_RX_vect __vector_18
#define USART0_UDRE_vect __vector_19
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define cli() __asm__ volatile ("cli" ::: "memory")
#define sei() __asm__ volatile ("sei" ::: "memory")

#define DEPTH 4

static uint8_t fifo[DEPTH];
static uint8_t in, out, level;
static uint8_t errors;

ISR(USART0_RX_vect)
{
    uint8_t c = UDR0;

    if (level == DEPTH) {
        errors++;
        return;
    }
    fifo[in] = c;
    in = (uint8_t)((in + 1) % DEPTH);
    level++;
    UCSR0B |= 1 << UDRIE0;
}

ISR(USART0_UDRE_vect)
{
    if (level == 0) {
        UCSR0B &= (uint8_t)~(1 << UDRIE0);
        return;
    }
    UDR0 = fifo[out];
    out = (uint8_t)((out + 1) % DEPTH);
    level--;
}

int main(void)
{
    uint8_t n;

    UCSR0B = (1 << RXCIE0) | (1 << RXEN0) | (1 << TXEN0);
    sei();
    for (;;) {
        cli();
        n = level;
        sei();
        PORTA = n;
    }
}
