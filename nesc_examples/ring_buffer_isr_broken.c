// A ring buffer between the receive interrupt and main, with one index for each side.
// CIRC: --platform atmega128 --race-model nesc
//
// EXPECT: race rx_ring[]
// EXPECT: race rx_head
// EXPECT: safe rx_tail
// EXPECT: safe rx_dropped
//
// rx_head is written by the handler while main reads it outside a critical section: a race in the model, harmless on this
// machine because it is one byte. rx_tail is changed by main inside a critical section, and read by the handler.
// The handler counts the overrun but stores the byte all the same: it overwrites the cell that main is reading.
#include <stdint.h>

#define SREG (*(volatile uint8_t *)0x5F)
#define UDR0 (*(volatile uint8_t *)0x2C)
#define UCSR0B (*(volatile uint8_t *)0x2A)
#define PORTA (*(volatile uint8_t *)0x3B)

#define RXCIE0 7
#define RXEN0 4

#define USART0_RX_vect __vector_18
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define cli() __asm__ volatile ("cli" ::: "memory")
#define sei() __asm__ volatile ("sei" ::: "memory")

#define RX_SIZE 8

static uint8_t rx_ring[RX_SIZE];
static uint8_t rx_head, rx_tail;
static uint16_t rx_dropped;

ISR(USART0_RX_vect)
{
    uint8_t c = UDR0;
    uint8_t next = (uint8_t)((rx_head + 1) % RX_SIZE);

    if (next == rx_tail) {
        rx_dropped++;
    }
    rx_ring[rx_head] = c;
    rx_head = next;
}

static int uart_read(uint8_t *c)
{
    uint8_t at = rx_tail;
    uint8_t sreg;

    if (rx_head == at)
        return 0;
    *c = rx_ring[at];
    sreg = SREG;
    cli();
    rx_tail = (uint8_t)((at + 1) % RX_SIZE);
    SREG = sreg;
    return 1;
}

int main(void)
{
    uint8_t c = 0, checksum = 0;

    UCSR0B = (1 << RXCIE0) | (1 << RXEN0);
    sei();
    for (;;) {
        if (uart_read(&c))
            checksum ^= c;
        PORTA = checksum;
    }
}
