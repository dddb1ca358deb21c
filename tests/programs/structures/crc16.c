// CIRC: --property asserts
// CRC-16/CCITT bit by bit and by nibble table; both give the check value of the standard.
//
// EXPECT: safe asserts
//
// The check value of "123456789" is 0x29B1.
#include <assert.h>
#include <stdint.h>

static const char message[] = "123456789";

static uint16_t step(uint16_t crc, uint8_t byte)
{
    int i;

    crc ^= (uint16_t)(byte << 8);
    for (i = 0; i < 8; i++) {
        if (crc & 0x8000)
            crc = (uint16_t)((crc << 1) ^ 0x1021);
        else
            crc = (uint16_t)(crc << 1);
    }
    return crc;
}

static uint16_t crc_of(const char *p, unsigned n)
{
    uint16_t crc = 0xffff;

    while (n-- > 0)
        crc = step(crc, (uint8_t)*p++);
    return crc;
}

static uint16_t crc_nibbles(const char *p, unsigned n)
{
    static uint16_t table[16];
    uint16_t crc = 0xffff;
    unsigned i, k;

    for (i = 0; i < 16; i++) {
        uint16_t r = (uint16_t)(i << 12);

        for (k = 0; k < 4; k++)
            r = (uint16_t)(r & 0x8000 ? (r << 1) ^ 0x1021 : r << 1);
        table[i] = r;
    }
    for (i = 0; i < n; i++) {
        uint8_t b = (uint8_t)p[i];

        crc = (uint16_t)((crc << 4) ^ table[((crc >> 12) ^ (b >> 4)) & 15]);
        crc = (uint16_t)((crc << 4) ^ table[((crc >> 12) ^ (b & 15)) & 15]);
    }
    return crc;
}

int main(void)
{
    assert(crc_of(message, 9) == 0x29b1);
    assert(crc_of(message, 9) == crc_nibbles(message, 9));
    assert(crc_of(message, 0) == 0xffff);
    return 0;
}
