// The receive interrupt hands a byte to main by a full flag; main gives the place back.
//
// EXPECT: race rx_byte
// EXPECT: safe rx_full
// EXPECT: safe lost
//
// rx_full is accessed in atomic only; lost is counted by the handler alone.
// The handler writes the new byte even if the old one has not been taken.
#include <stdint.h>
#include "circ.h"

int rx_on = 1;
uint8_t rx_full;
uint8_t rx_byte;
uint16_t lost;

circ_interrupt(rx_on) void uart_receive(void)
{
    uint8_t data = (uint8_t)nondet();
    uint8_t busy;

    atomic { busy = rx_full; }
    if (busy) {
        lost++;
    }
    rx_byte = data;
    atomic { rx_full = 1; }
}

static uint8_t crc_update(uint8_t crc, uint8_t b)
{
    uint8_t i;

    crc ^= b;
    for (i = 0; i < 8; i++)
        crc = (uint8_t)(crc & 0x80 ? (crc << 1) ^ 7 : crc << 1);
    return crc;
}

int main(void)
{
    uint8_t have, b, crc = 0;

    while (1) {
        atomic { have = rx_full; }
        if (!have)
            continue;
        b = rx_byte;
        atomic { rx_full = 0; }
        crc = crc_update(crc, b);
    }
}
