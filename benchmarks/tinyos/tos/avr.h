/* Registers of the ATmega103 and the macros of the AVR C library of 2003. */
#ifndef AVR_H
#define AVR_H
#define _SFR_IO8(io) (*(volatile unsigned char *)((io) + 0x20))
#define _SFR_IO16(io) (*(volatile unsigned int *)((io) + 0x20))
#define _SFR_BYTE(sfr) (*(volatile uint8_t *)(unsigned int)&(sfr))
#define inp(port) _SFR_BYTE(port)
#define outp(value, port) (_SFR_BYTE(port) = (value))
#define sbi(port, bit) (_SFR_BYTE(port) |= (1 << (bit)))
#define cbi(port, bit) (_SFR_BYTE(port) &= ~(1 << (bit)))
#define bit_is_set(port, bit) (_SFR_BYTE(port) & (1 << (bit)))
#define bit_is_clear(port, bit) (!bit_is_set(port, bit))
#define loop_until_bit_is_set(port, bit) do { } while (bit_is_clear(port, bit))
#define __inw(port) (*(volatile uint16_t *)(unsigned int)&(port))
#define sei() __asm__ volatile ("sei" ::)
#define cli() __asm__ volatile ("cli" ::)

#define ADCL _SFR_IO8(0x04)
#define ADCH _SFR_IO8(0x05)
#define ADCSR _SFR_IO8(0x06)
#define ADMUX _SFR_IO8(0x07)
#define UBRR _SFR_IO8(0x09)
#define UCR _SFR_IO8(0x0A)
#define USR _SFR_IO8(0x0B)
#define UDR _SFR_IO8(0x0C)
#define SPCR _SFR_IO8(0x0D)
#define SPSR _SFR_IO8(0x0E)
#define SPDR _SFR_IO8(0x0F)
#define PIND _SFR_IO8(0x10)
#define DDRD _SFR_IO8(0x11)
#define PORTD _SFR_IO8(0x12)
#define PORTC _SFR_IO8(0x15)
#define PINB _SFR_IO8(0x16)
#define DDRB _SFR_IO8(0x17)
#define PORTB _SFR_IO8(0x18)
#define DDRA _SFR_IO8(0x1A)
#define PORTA _SFR_IO8(0x1B)
#define OCR2 _SFR_IO8(0x23)
#define TCNT2 _SFR_IO8(0x24)
#define TCCR2 _SFR_IO8(0x25)
#define ICR1L _SFR_IO8(0x26)
#define TCNT1L _SFR_IO8(0x2C)
#define TCCR1B _SFR_IO8(0x2E)
#define ASSR _SFR_IO8(0x30)
#define OCR0 _SFR_IO8(0x31)
#define TCNT0 _SFR_IO8(0x32)
#define TCCR0 _SFR_IO8(0x33)
#define MCUCR _SFR_IO8(0x35)
#define TIFR _SFR_IO8(0x36)
#define TIMSK _SFR_IO8(0x37)
#define SREG _SFR_IO8(0x3F)

#define OCIE0 1
#define OCIE2 7
#define ICF1 5
#define ADIF 4
#define ADIE 3
#define ADSC 6
#define ADEN 7

#define SIG_OUTPUT_COMPARE2 __vector_9
#define SIG_OUTPUT_COMPARE0 __vector_15
#define SIG_SPI __vector_17
#define SIG_UART_RECV __vector_18
#define SIG_UART_TRANS __vector_20
#define SIG_ADC __vector_21

#define TOSH_SIGNAL(vector) void vector() __attribute__((signal, spontaneous, C))
#define TOSH_INTERRUPT(vector) void vector() __attribute__((interrupt, spontaneous, C))
#endif
