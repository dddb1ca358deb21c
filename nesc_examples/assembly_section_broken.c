// A critical section in inline assembly: the status register is saved, interrupts are switched off, and it is restored.
// CIRC: --platform atmega328p
//
// EXPECT: race balance
//
// Interrupts are on again when the sum is made.
#include <stdint.h>

#define TIMSK1 (*(volatile uint8_t *)0x6f)

static int16_t balance;

void __vector_13(void) __attribute__((signal));
void __vector_13(void) { balance--; }

static void add(int16_t amount)
{
    uint8_t state;
    __asm__ volatile ("in %0, %1\n\tcli" : "=r" (state) : "I" (0x3f) : "memory");
    __asm__ volatile ("out %1, %0" : : "r" (state), "I" (0x3f) : "memory");
    balance += amount;
}

int main(void)
{
    TIMSK1 = 1;
    __asm__ volatile ("sei" ::: "memory");
    for (;;) {
        add(3);
    }
}
