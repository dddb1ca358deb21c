/* avr/interrupt.h: signal handlers start with interrupts off, interrupt handlers with interrupts on. */
#ifndef _CIRC_AVR_INTERRUPT_H
#define _CIRC_AVR_INTERRUPT_H

#define ISR_BLOCK
#define ISR_NOBLOCK __attribute__((interrupt))
#define ISR_NAKED __attribute__((naked))
#define ISR(vector, ...) void vector(void) __attribute__((signal)) __VA_ARGS__; void vector(void)
#define SIGNAL(vector) void vector(void) __attribute__((signal)); void vector(void)
#define INTERRUPT(vector) void vector(void) __attribute__((interrupt)); void vector(void)
#define EMPTY_INTERRUPT(vector) void vector(void) __attribute__((signal)); void vector(void) { }
void cli(void);
void sei(void);

#endif
