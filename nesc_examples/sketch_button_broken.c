// A sketch for an Arduino: a button's interrupt counts, and loop takes what was counted.
// CIRC: --platform atmega328p --race-model machine
//
// EXPECT: race presses
// EXPECT: safe changed
//
// The core calls setup once and loop without end. presses has two bytes: a press between them tears it.
#include <stdint.h>

void attachInterrupt(uint8_t number, void (*handler)(void), int mode);
void digitalWrite(uint8_t pin, uint8_t value);
#define FALLING 2

static volatile uint16_t presses;
static volatile uint8_t changed;

static void pressed(void)
{
    presses++;
    changed = 1;
}

void setup(void)
{
    presses = 0;
    attachInterrupt(0, pressed, FALLING);
}

void loop(void)
{
    uint16_t n;
    if (!changed)
        return;
    changed = 0;
    n = presses;
    presses = 0;
    digitalWrite(13, n > 3);
}
