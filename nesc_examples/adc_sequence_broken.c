// An ADC sequence over three channels driven by the conversion-complete interrupt; main starts it and takes the results.
// CIRC: --platform atmega128
//
// EXPECT: race result[]
// EXPECT: safe channel
//
// The interrupt enable bit ADIE is the token: main sets it as the last step of start, the handler clears it after the last
// channel.
// main reads the results without waiting for the end of the sequence.
#include <stdint.h>

#define ADCSRA (*(volatile uint8_t *)0x26)
#define ADMUX (*(volatile uint8_t *)0x27)
#define PORTA (*(volatile uint8_t *)0x3B)
#define ADCW (*(volatile uint16_t *)0x24)

#define ADEN 7
#define ADSC 6
#define ADIE 3

#define ADC_vect __vector_21
#define ISR(vector) void vector(void) __attribute__((signal)); void vector(void)
#define sei() __asm__ volatile ("sei" ::: "memory")

#define CHANNELS 3

static uint16_t result[CHANNELS];
static uint8_t channel;

ISR(ADC_vect)
{
    result[channel] = ADCW;
    channel++;
    if (channel < CHANNELS) {
        ADMUX = channel;
        ADCSRA |= 1 << ADSC;
    } else {
        ADCSRA &= (uint8_t)~(1 << ADIE);
    }
}

static void start(void)
{
    channel = 0;
    ADMUX = 0;
    ADCSRA |= (1 << ADEN) | (1 << ADSC) | (1 << ADIE);
}

static uint8_t running(void)
{
    return ADCSRA & (1 << ADIE);
}

int main(void)
{
    uint16_t sum;

    sei();
    for (;;) {
        if (!running())
            start();
        sum = result[0] + result[1] + result[2];
        PORTA = (uint8_t)(sum >> 4);
    }
}
