// Initialisation before interrupts are on needs no protection.
// CIRC: --platform atmega128 --race-model nesc
//
// EXPECT: race table[]
// EXPECT: safe at
//
// Interrupts are switched on one line too early.
#include <stdint.h>

#define TIMSK (*(volatile uint8_t *)0x57)
#define OCR0 (*(volatile uint8_t *)0x51)

#define OCIE0 1

#define TIMER0_COMP_vect __vector_15
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define sei() __asm__ volatile ("sei" ::: "memory")
#define sleep_cpu() __asm__ volatile ("sleep" :::)

#define STEPS 4

static uint8_t table[STEPS];
static uint8_t at;

ISR(TIMER0_COMP_vect)
{
    OCR0 = table[at];
    table[at] ^= 1;
    at = (uint8_t)((at + 1) % STEPS);
}

int main(void)
{
    uint8_t i;

    TIMSK |= 1 << OCIE0;
    sei();
    for (i = 0; i < STEPS; i++)
        table[i] = (uint8_t)(i * 60);
    for (;;)
        sleep_cpu();
}
