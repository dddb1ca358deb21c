// A UART driver: the receive handler fills a ring, main empties it.
//
// EXPECT: safe rx_count
// EXPECT: safe rx_in
// EXPECT: safe rx_out
// EXPECT: safe rx_buffer[]
//
// rx_in belongs to the handler, rx_out to main; the count is changed by both.
// main changes the count inside atomic; the handler's own accesses meet only those.
// A cell is written while it is outside the count and read while it is inside it.
#include <stdint.h>
#include "circ.h"

#define SIZE 4

int rx_enabled = 1;
uint8_t rx_buffer[SIZE];
uint8_t rx_in, rx_out;
uint8_t rx_count;

circ_interrupt(rx_enabled) void on_receive(void)
{
    uint8_t c = (uint8_t)nondet(), n;

    atomic { n = rx_count; }
    if (n == SIZE)
        return;
    rx_buffer[rx_in] = c;
    rx_in = (uint8_t)((rx_in + 1) % SIZE);
    atomic { rx_count++; }
}

static int read_byte(uint8_t *c)
{
    uint8_t n;

    atomic { n = rx_count; }
    if (n == 0)
        return 0;
    *c = rx_buffer[rx_out];
    rx_out = (uint8_t)((rx_out + 1) % SIZE);
    atomic { rx_count--; }
    return 1;
}

int main(void)
{
    uint8_t c = 0;
    uint16_t line = 0;

    while (1) {
        if (read_byte(&c) && c == '\n')
            line++;
    }
}
