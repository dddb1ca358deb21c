// A sketch for an Arduino: a button's interrupt counts, and loop takes what was counted with interrupts off.
// CIRC: --platform atmega328p --race-model machine
//
// EXPECT: safe presses
// EXPECT: safe changed
//
// The core calls setup once and loop without end. presses has two bytes; it is set before the handler is attached.
#include <stdint.h>

void attachInterrupt(uint8_t number, void (*handler)(void), int mode);
void noInterrupts(void);
void interrupts(void);
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
    noInterrupts();
    n = presses;
    presses = 0;
    interrupts();
    digitalWrite(13, n > 3);
}
