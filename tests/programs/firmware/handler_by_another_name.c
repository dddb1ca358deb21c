// A handler may be another name of one (ISR_ALIASOF, ISR_ALIAS), or jump to it in assembly: it fires on its own.
// CIRC: --platform avr
// EXPECT: race by_alias
// EXPECT: race by_jump
// EXPECT: safe switched_off
// EXPECT: safe count
#include <avr/interrupt.h>

unsigned char by_alias, by_jump, switched_off, count;

static void first(void) { by_alias++; switched_off++; }
static void second(void) { by_jump++; }

ISR(__vector_1, ISR_ALIASOF(first));
ISR(__vector_2) { static unsigned char calls; count += ++calls; }
ISR(__vector_3, ISR_ALIASOF(__vector_2));
ISR_ALIAS(__vector_4, __vector_2)
void __vector_5(void) __attribute__((signal, naked));
void __vector_5(void) { __asm__ __volatile__("jmp second" ::); }

int main(void)
{
    sei();
    for (;;) {
        by_alias++;
        by_jump++;
        cli();
        switched_off++;
        sei();
    }
}
