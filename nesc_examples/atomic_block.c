// A 16-bit tick counter behind avr-libc's ATOMIC_BLOCK, as `avr-gcc -E` gives it: a loop that runs once, with a cleanup.
// CIRC: --platform atmega328p
//
// EXPECT: safe ticks
//
// The return inside the block restores the interrupt state behind the read.
#include <stdint.h>

#define SREG (*(volatile uint8_t *)0x5f)
#define TIMSK0 (*(volatile uint8_t *)0x6e)
#define sei() __asm__ __volatile__ ("sei" ::: "memory")
#define cli() __asm__ __volatile__ ("cli" ::: "memory")

static inline uint8_t __iCliRetVal(void) { cli(); return 1; }
static inline void __iRestore(const uint8_t *s) { SREG = *s; __asm__ volatile ("" ::: "memory"); }

volatile uint16_t ticks;

void __vector_16(void) __attribute__((signal));
void __vector_16(void) { ticks++; }

static uint16_t now(void)
{
    for (uint8_t sreg_save __attribute__((__cleanup__(__iRestore))) = SREG, __ToDo = __iCliRetVal(); __ToDo; __ToDo = 0) {
        return ticks;
    }
    return 0;
}

static void wait(uint16_t n)
{
    uint16_t start = now();
    while ((uint16_t)(now() - start) < n) {
    }
}

int main(void)
{
    TIMSK0 = 1;
    sei();
    for (;;) {
        wait(100);
    }
}
