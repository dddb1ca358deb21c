// Settings that come over a serial line in frames: a start byte, four bytes of data, a CRC of 16 bits.
// CIRC: --platform atmega128 --race-model nesc
//
// EXPECT: race period
// EXPECT: safe crc
//
// Who sends any seven bytes gets nowhere: only a frame whose checksum matches changes the period, while main reads it.
#include <stdint.h>

#define UDR0 (*(volatile uint8_t *)0x2C)
#define UCSR0B (*(volatile uint8_t *)0x2A)
#define OCR1A (*(volatile uint16_t *)0x4A)

#define RXCIE0 7
#define START 0x7e
#define DATA 4

#define USART0_RX_vect __vector_18
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define cli() __asm__ volatile ("cli" ::: "memory")
#define sei() __asm__ volatile ("sei" ::: "memory")

enum { WAITING, READING, CHECKING };

static uint8_t state, count, data[DATA], low;
static uint16_t crc;
static uint16_t period = 100;

static uint16_t crc_byte(uint16_t sum, uint8_t byte)
{
    uint8_t i;

    sum ^= (uint16_t)(byte << 8);
    for (i = 0; i < 8; i++) {
        if (sum & 0x8000)
            sum = (uint16_t)(sum << 1 ^ 0x1021);
        else
            sum <<= 1;
    }
    return sum;
}

ISR(USART0_RX_vect)
{
    uint8_t c = UDR0;

    switch (state) {
    case WAITING:
        if (c == START) {
            state = READING;
            count = 0;
            crc = 0xffff;
        }
        break;
    case READING:
        data[count] = c;
        crc = crc_byte(crc, c);
        if (++count == DATA) {
            state = CHECKING;
            count = 0;
        }
        break;
    case CHECKING:
        if (count++ == 0) {
            low = c;
            break;
        }
        if ((uint16_t)(c << 8 | low) == crc && data[0] == 'P')
            period = (uint16_t)(data[2] << 8 | data[1]);
        state = WAITING;
        break;
    }
}

int main(void)
{
    UCSR0B = 1 << RXCIE0;
    sei();
    for (;;)
        OCR1A = period;
}
