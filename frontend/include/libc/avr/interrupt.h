/* avr/interrupt.h: signal handlers start with interrupts off, interrupt handlers with interrupts on. */
#ifndef _CIRC_AVR_INTERRUPT_H
#define _CIRC_AVR_INTERRUPT_H

#define ISR_BLOCK
#define ISR_NOBLOCK __attribute__((interrupt))
#define ISR_NAKED __attribute__((naked))
#define ISR(vector, ...) void vector(void) __attribute__((signal)) __VA_ARGS__; void vector(void)
#define SIGNAL(vector) void vector(void) __attribute__((signal)); void vector(void)
#define INTERRUPT(vector) void vector(void) __attribute__((interrupt)); void vector(void)
#define ISR_ALIASOF(target) __attribute__((alias(__CIRC_STRING(target))))
#define __CIRC_STRING(name) #name
#define ISR_ALIAS(vector, target) void vector(void) __attribute__((signal)) ISR_ALIASOF(target);
#define reti() return
#define BADISR_vect __vector_default
#define EMPTY_INTERRUPT(vector) void vector(void) __attribute__((signal)); void vector(void) { }
void cli(void);
void sei(void);

#endif
