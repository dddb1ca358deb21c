// One ADC conversion at a time: main arms the converter, the done interrupt stores the result and disarms it.
//
// EXPECT: safe channel
// EXPECT: safe result
//
// The handler runs only while adc_armed is set; main writes channel before it arms, and reads result after the
// handler has disarmed.
#include <stdint.h>
#include "circ.h"

int adc_armed;
uint8_t channel;
uint16_t result;

circ_interrupt(adc_armed) void adc_done(void)
{
    uint16_t raw = (uint16_t)(nondet() & 0x3ff);

    if (channel == 7)
        raw = (uint16_t)(raw >> 1);
    result = raw;
    atomic { adc_armed = 0; }
}

static uint16_t convert(uint8_t ch)
{
    int busy;

    channel = ch;
    atomic { adc_armed = 1; }
    do {
        atomic { busy = adc_armed; }
    } while (busy);
    return result;
}

int main(void)
{
    uint16_t light, heat;

    while (1) {
        light = convert(0);
        heat = convert(7);
        if (light > heat)
            break;
    }
    return 0;
}
