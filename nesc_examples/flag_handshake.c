// A captured value is handed from the interrupt to main by a flag.
// CIRC: --platform atmega128 --race-model nesc
//
// EXPECT: safe captured
// EXPECT: race have_capture
//
// have_capture is one byte, tested by main with interrupts on while the handler may set it: a race in the model, harmless
// on this machine.
// The handler writes captured only while the flag is down, main reads it only while it is up.
#include <stdint.h>

#define TIMSK (*(volatile uint8_t *)0x57)
#define TCCR1B (*(volatile uint8_t *)0x4E)
#define PORTA (*(volatile uint8_t *)0x3B)
#define ICR1 (*(volatile uint16_t *)0x46)

#define TICIE1 5

#define TIMER1_CAPT_vect __vector_11
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define sei() __asm__ volatile ("sei" ::: "memory")

static uint8_t have_capture;
static uint16_t captured;

ISR(TIMER1_CAPT_vect)
{
    uint16_t t = ICR1;

    if (have_capture)
        return;
    captured = t;
    have_capture = 1;
}

int main(void)
{
    uint16_t last = 0, t, period = 0;

    TCCR1B = 0xc1;
    TIMSK |= 1 << TICIE1;
    sei();
    for (;;) {
        if (!have_capture)
            continue;
        t = captured;
        have_capture = 0;
        period = (uint16_t)(t - last);
        last = t;
        PORTA = (uint8_t)(period >> 8);
    }
}
