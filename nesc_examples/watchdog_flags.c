// The watchdog is kicked when both the tick interrupt and main's loop have set their flags.
// CIRC: --platform atmega128
//
// EXPECT: safe alive
//
// main's read-modify-write of the flags happens with interrupts off.
#include <stdint.h>

#define TIMSK (*(volatile uint8_t *)0x57)
#define WDTCR (*(volatile uint8_t *)0x41)

#define OCIE2 7

#define TIMER2_COMP_vect __vector_9
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define cli() __asm__ volatile ("cli" ::: "memory")
#define sei() __asm__ volatile ("sei" ::: "memory")

#define ALIVE_TICK 1
#define ALIVE_MAIN 2

static uint8_t alive;

ISR(TIMER2_COMP_vect)
{
    alive |= ALIVE_TICK;
}

static void kick_if_alive(void)
{
    cli();
    if (alive == (ALIVE_TICK | ALIVE_MAIN)) {
        alive = 0;
        WDTCR = 0x0f;
    }
    sei();
}

int main(void)
{
    TIMSK |= 1 << OCIE2;
    sei();
    for (;;) {
        cli();
        alive |= ALIVE_MAIN;
        sei();
        kick_if_alive();
    }
}
