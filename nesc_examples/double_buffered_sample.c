// Double-buffered samples: the ADC interrupt fills one half while main processes the other.
// CIRC: --platform atmega128 --race-model nesc
//
// EXPECT: safe half[]
// EXPECT: safe fill_at
// EXPECT: safe filling
//
// half is one array of two halves of four samples. filling tells which half the handler writes; main reads it with
// interrupts off. fill_at belongs to the handler.
// The handler changes halves only after main has given the other one back (ready == 0).
#include <stdint.h>

#define ADCSRA (*(volatile uint8_t *)0x26)
#define PORTA (*(volatile uint8_t *)0x3B)
#define ADCW (*(volatile uint16_t *)0x24)

#define ADEN 7
#define ADSC 6
#define ADIE 3

#define ADC_vect __vector_21
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define cli() __asm__ volatile ("cli" ::: "memory")
#define sei() __asm__ volatile ("sei" ::: "memory")

#define N 4

static uint16_t half[2 * N];
static uint8_t filling, fill_at, ready;

ISR(ADC_vect)
{
    if (fill_at < N) {
        half[filling * N + fill_at] = ADCW;
        fill_at++;
    }
    if (fill_at == N && !ready) {
        filling ^= 1;
        fill_at = 0;
        ready = 1;
    }
    ADCSRA |= 1 << ADSC;
}

static uint16_t process(uint8_t which)
{
    uint16_t sum = 0;
    uint8_t i;

    for (i = 0; i < N; i++)
        sum += half[which * N + i];
    return sum / N;
}

int main(void)
{
    uint8_t full, which;
    uint16_t level = 0;

    ADCSRA = (1 << ADEN) | (1 << ADIE) | (1 << ADSC);
    sei();
    for (;;) {
        cli();
        full = ready;
        which = filling ^ 1;
        sei();
        if (!full)
            continue;
        level = process(which);
        cli();
        ready = 0;
        sei();
        PORTA = (uint8_t)(level >> 2);
    }
}
