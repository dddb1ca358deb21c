// A shadow of the LED port, changed by main and by two interrupts.
// CIRC: --platform atmega128 --race-model nesc
//
// EXPECT: race leds
//
// The receive handler enables interrupts before it changes the shadow: the timer handler may come in between.
#include <stdint.h>

#define TIMSK (*(volatile uint8_t *)0x57)
#define UDR0 (*(volatile uint8_t *)0x2C)
#define UCSR0B (*(volatile uint8_t *)0x2A)
#define PORTA (*(volatile uint8_t *)0x3B)
#define PINB (*(volatile uint8_t *)0x36)

#define RXCIE0 7
#define RXEN0 4
#define TOIE0 0

#define TIMER0_OVF_vect __vector_16
#define USART0_RX_vect __vector_18
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define cli() __asm__ volatile ("cli" ::: "memory")
#define sei() __asm__ volatile ("sei" ::: "memory")

#define RED 1
#define GREEN 2
#define YELLOW 4

static uint8_t leds;

static void show(uint8_t value)
{
    leds = value;
    PORTA = (uint8_t)~value;
}

ISR(TIMER0_OVF_vect)
{
    show(leds ^ RED);
}

ISR(USART0_RX_vect)
{
    uint8_t c = UDR0;

    sei();
    if (c == 'g')
        show(leds | GREEN);
    else
        show(leds & (uint8_t)~GREEN);
}

int main(void)
{
    TIMSK |= 1 << TOIE0;
    UCSR0B = (1 << RXCIE0) | (1 << RXEN0);
    sei();
    for (;;) {
        cli();
        show(PINB & 1 ? leds | YELLOW : leds & (uint8_t)~YELLOW);
        sei();
    }
}
