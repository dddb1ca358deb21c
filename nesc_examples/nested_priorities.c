// Two interrupts: the slow one enables interrupts at once, so the fast one may come in the middle of it.
// CIRC: --platform atmega128
//
// EXPECT: safe position
// EXPECT: safe control_runs
//
// The encoder handler runs with interrupts off. The control handler disables itself, switches interrupts on, and does its
// long computation; it cannot preempt itself because its own enable bit is clear until its end.
// It takes position with interrupts off.
#include <stdint.h>

#define TIMSK (*(volatile uint8_t *)0x57)
#define OCR0 (*(volatile uint8_t *)0x51)
#define PINB (*(volatile uint8_t *)0x36)
#define EIMSK (*(volatile uint8_t *)0x59)

#define OCIE1A 4
#define INT0 0

#define INT0_vect __vector_1
#define TIMER1_COMPA_vect __vector_12
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define cli() __asm__ volatile ("cli" ::: "memory")
#define sei() __asm__ volatile ("sei" ::: "memory")
#define sleep_cpu() __asm__ volatile ("sleep" :::)

static int16_t position;
static uint16_t control_runs;

ISR(INT0_vect)
{
    if (PINB & 2)
        position++;
    else
        position--;
}

ISR(TIMER1_COMPA_vect)
{
    int16_t p, error;

    TIMSK &= (uint8_t)~(1 << OCIE1A);
    p = position;
    sei();
    error = (int16_t)(500 - p);
    if (error > 255)
        error = 255;
    if (error < -255)
        error = -255;
    OCR0 = (uint8_t)(error < 0 ? -error : error);
    cli();
    control_runs++;
    TIMSK |= 1 << OCIE1A;
}

int main(void)
{
    EIMSK |= 1 << INT0;
    TIMSK |= 1 << OCIE1A;
    sei();
    for (;;)
        sleep_cpu();
}
