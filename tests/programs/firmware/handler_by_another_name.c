// A handler may be another name of one (avr-libc's ISR_ALIASOF), or jump to it in assembly: it fires on its own.
// CIRC: --platform avr
// EXPECT: race by_alias
// EXPECT: race by_jump
// EXPECT: safe switched_off
// EXPECT: safe count
void sei(void), cli(void);

unsigned char by_alias, by_jump, switched_off, count;

static void first(void) { by_alias++; switched_off++; }
static void second(void) { by_jump++; }

void __vector_1(void) __attribute__((signal, alias("first")));
__attribute__((signal)) void __vector_2(void) { static unsigned char calls; count += ++calls; }
void __vector_3(void) __attribute__((signal, alias("__vector_2")));
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
