/* avr/io.h: registers and vectors of the part that --platform names, else those of the ATmega103 and 128 */
#ifndef _CIRC_AVR_IO_H
#define _CIRC_AVR_IO_H

#include <stdint.h>
#define __SFR_OFFSET 0x20
#define _SFR_IO8(address) (*(volatile uint8_t *)((address) + __SFR_OFFSET))
#define _SFR_IO16(address) (*(volatile uint16_t *)((address) + __SFR_OFFSET))
#define _SFR_MEM8(address) (*(volatile uint8_t *)(address))
#define _SFR_MEM16(address) (*(volatile uint16_t *)(address))
#define _BV(bit) (1 << (bit))
#define bit_is_set(sfr, bit) ((sfr) & _BV(bit))
#define bit_is_clear(sfr, bit) (!((sfr) & _BV(bit)))
#define loop_until_bit_is_set(sfr, bit) do { } while (bit_is_clear(sfr, bit))
#define loop_until_bit_is_clear(sfr, bit) do { } while (bit_is_set(sfr, bit))
#define _VECTOR(number) __vector_##number
#if defined(__CIRC_ATMEGA8)
#include <avr/parts/atmega8.h>
#elif defined(__CIRC_ATMEGA16)
#include <avr/parts/atmega16.h>
#elif defined(__CIRC_ATMEGA32)
#include <avr/parts/atmega32.h>
#elif defined(__CIRC_ATMEGA328P)
#include <avr/parts/atmega328p.h>
#elif defined(__CIRC_ATMEGA32U4)
#include <avr/parts/atmega32u4.h>
#elif defined(__CIRC_ATMEGA1284P)
#include <avr/parts/atmega1284p.h>
#elif defined(__CIRC_ATMEGA2560)
#include <avr/parts/atmega2560.h>
#elif defined(__CIRC_ATTINY2313)
#include <avr/parts/attiny2313.h>
#elif defined(__CIRC_ATTINY84)
#include <avr/parts/attiny84.h>
#elif defined(__CIRC_ATTINY85)
#include <avr/parts/attiny85.h>
#else
#define PINF _SFR_IO8(0x00)
#define PINE _SFR_IO8(0x01)
#define DDRE _SFR_IO8(0x02)
#define PORTE _SFR_IO8(0x03)
#define ADCL _SFR_IO8(0x04)
#define ADCH _SFR_IO8(0x05)
#define ADCSR _SFR_IO8(0x06)
#define ADCSRA _SFR_IO8(0x06)
#define ADMUX _SFR_IO8(0x07)
#define ACSR _SFR_IO8(0x08)
#define UBRR _SFR_IO8(0x09)
#define UBRR0L _SFR_IO8(0x09)
#define UCR _SFR_IO8(0x0A)
#define UCSR0B _SFR_IO8(0x0A)
#define USR _SFR_IO8(0x0B)
#define UCSR0A _SFR_IO8(0x0B)
#define UDR _SFR_IO8(0x0C)
#define UDR0 _SFR_IO8(0x0C)
#define SPCR _SFR_IO8(0x0D)
#define SPSR _SFR_IO8(0x0E)
#define SPDR _SFR_IO8(0x0F)
#define PIND _SFR_IO8(0x10)
#define DDRD _SFR_IO8(0x11)
#define PORTD _SFR_IO8(0x12)
#define PINC _SFR_IO8(0x13)
#define DDRC _SFR_IO8(0x14)
#define PORTC _SFR_IO8(0x15)
#define PINB _SFR_IO8(0x16)
#define DDRB _SFR_IO8(0x17)
#define PORTB _SFR_IO8(0x18)
#define PINA _SFR_IO8(0x19)
#define DDRA _SFR_IO8(0x1A)
#define PORTA _SFR_IO8(0x1B)
#define EECR _SFR_IO8(0x1C)
#define EEDR _SFR_IO8(0x1D)
#define EEARL _SFR_IO8(0x1E)
#define EEARH _SFR_IO8(0x1F)
#define WDTCR _SFR_IO8(0x21)
#define OCR2 _SFR_IO8(0x23)
#define TCNT2 _SFR_IO8(0x24)
#define TCCR2 _SFR_IO8(0x25)
#define TCCR1B _SFR_IO8(0x2E)
#define TCCR1A _SFR_IO8(0x2F)
#define ASSR _SFR_IO8(0x30)
#define OCR0 _SFR_IO8(0x31)
#define TCNT0 _SFR_IO8(0x32)
#define TCCR0 _SFR_IO8(0x33)
#define MCUCR _SFR_IO8(0x35)
#define TIFR _SFR_IO8(0x36)
#define TIMSK _SFR_IO8(0x37)
#define EIFR _SFR_IO8(0x38)
#define EIMSK _SFR_IO8(0x39)
#define GIMSK _SFR_IO8(0x39)
#define EICRB _SFR_IO8(0x3A)
#define EICR _SFR_IO8(0x3A)
#define SREG _SFR_IO8(0x3F)
#define DDRF _SFR_MEM8(0x61)
#define PORTF _SFR_MEM8(0x62)
#define PING _SFR_MEM8(0x63)
#define DDRG _SFR_MEM8(0x64)
#define PORTG _SFR_MEM8(0x65)
#define SPMCSR _SFR_MEM8(0x68)
#define EICRA _SFR_MEM8(0x6A)
#define OSCCAL _SFR_MEM8(0x6F)
#define TWBR _SFR_MEM8(0x70)
#define TWSR _SFR_MEM8(0x71)
#define TWAR _SFR_MEM8(0x72)
#define TWDR _SFR_MEM8(0x73)
#define TWCR _SFR_MEM8(0x74)
#define OCR1C _SFR_MEM16(0x78)
#define TCCR1C _SFR_MEM8(0x7A)
#define ETIFR _SFR_MEM8(0x7C)
#define ETIMSK _SFR_MEM8(0x7D)
#define ICR3 _SFR_MEM16(0x80)
#define OCR3C _SFR_MEM16(0x82)
#define OCR3B _SFR_MEM16(0x84)
#define OCR3A _SFR_MEM16(0x86)
#define TCNT3 _SFR_MEM16(0x88)
#define TCCR3B _SFR_MEM8(0x8A)
#define TCCR3A _SFR_MEM8(0x8B)
#define TCCR3C _SFR_MEM8(0x8C)
#define UBRR0H _SFR_MEM8(0x90)
#define UCSR0C _SFR_MEM8(0x95)
#define UBRR1H _SFR_MEM8(0x98)
#define UBRR1L _SFR_MEM8(0x99)
#define UCSR1B _SFR_MEM8(0x9A)
#define UCSR1A _SFR_MEM8(0x9B)
#define UDR1 _SFR_MEM8(0x9C)
#define UCSR1C _SFR_MEM8(0x9D)
#define ADC _SFR_IO16(0x04)
#define ADCW _SFR_IO16(0x04)
#define ICR1 _SFR_IO16(0x26)
#define OCR1B _SFR_IO16(0x28)
#define OCR1A _SFR_IO16(0x2A)
#define TCNT1 _SFR_IO16(0x2C)
#define SP _SFR_IO16(0x3D)
#define TOIE0 0
#define OCIE0 1
#define TOIE1 2
#define OCIE1B 3
#define OCIE1A 4
#define TICIE1 5
#define TOIE2 6
#define OCIE2 7
#define TOV0 0
#define OCF0 1
#define TOV1 2
#define OCF1B 3
#define OCF1A 4
#define ICF1 5
#define TOV2 6
#define OCF2 7
#define RXCIE 7
#define TXCIE 6
#define UDRIE 5
#define RXEN 4
#define TXEN 3
#define RXCIE0 7
#define TXCIE0 6
#define UDRIE0 5
#define RXEN0 4
#define TXEN0 3
#define RXC 7
#define TXC 6
#define UDRE 5
#define SPIE 7
#define SPE 6
#define DORD 5
#define MSTR 4
#define CPOL 3
#define CPHA 2
#define SPIF 7
#define ADEN 7
#define ADSC 6
#define ADFR 5
#define ADIF 4
#define ADIE 3
#define ADPS2 2
#define ADPS1 1
#define ADPS0 0
#define ACIE 3
#define SREG_I 7
#define TWINT 7
#define TWEA 6
#define TWSTA 5
#define TWSTO 4
#define TWWC 3
#define TWEN 2
#define TWIE 0
#define TICIE3 5
#define OCIE3A 4
#define OCIE3B 3
#define TOIE3 2
#define OCIE3C 1
#define OCIE1C 0
#define RXCIE1 7
#define TXCIE1 6
#define UDRIE1 5
#define RXEN1 4
#define TXEN1 3
#define PA0 0
#define PA1 1
#define PA2 2
#define PA3 3
#define PA4 4
#define PA5 5
#define PA6 6
#define PA7 7
#define PB0 0
#define PB1 1
#define PB2 2
#define PB3 3
#define PB4 4
#define PB5 5
#define PB6 6
#define PB7 7
#define PC0 0
#define PC1 1
#define PC2 2
#define PC3 3
#define PC4 4
#define PC5 5
#define PC6 6
#define PC7 7
#define PD0 0
#define PD1 1
#define PD2 2
#define PD3 3
#define PD4 4
#define PD5 5
#define PD6 6
#define PD7 7
#define PE0 0
#define PE1 1
#define PE2 2
#define PE3 3
#define PE4 4
#define PE5 5
#define PE6 6
#define PE7 7
#define PF0 0
#define PF1 1
#define PF2 2
#define PF3 3
#define PF4 4
#define PF5 5
#define PF6 6
#define PF7 7
#define INT0 0
#define INT0_vect _VECTOR(1)
#define SIG_INTERRUPT0 _VECTOR(1)
#define INT1 1
#define INT1_vect _VECTOR(2)
#define SIG_INTERRUPT1 _VECTOR(2)
#define INT2 2
#define INT2_vect _VECTOR(3)
#define SIG_INTERRUPT2 _VECTOR(3)
#define INT3 3
#define INT3_vect _VECTOR(4)
#define SIG_INTERRUPT3 _VECTOR(4)
#define INT4 4
#define INT4_vect _VECTOR(5)
#define SIG_INTERRUPT4 _VECTOR(5)
#define INT5 5
#define INT5_vect _VECTOR(6)
#define SIG_INTERRUPT5 _VECTOR(6)
#define INT6 6
#define INT6_vect _VECTOR(7)
#define SIG_INTERRUPT6 _VECTOR(7)
#define INT7 7
#define INT7_vect _VECTOR(8)
#define SIG_INTERRUPT7 _VECTOR(8)
#define TIMER2_COMP_vect _VECTOR(9)
#define SIG_OUTPUT_COMPARE2 _VECTOR(9)
#define TIMER2_OVF_vect _VECTOR(10)
#define SIG_OVERFLOW2 _VECTOR(10)
#define TIMER1_CAPT_vect _VECTOR(11)
#define SIG_INPUT_CAPTURE1 _VECTOR(11)
#define TIMER1_COMPA_vect _VECTOR(12)
#define SIG_OUTPUT_COMPARE1A _VECTOR(12)
#define TIMER1_COMPB_vect _VECTOR(13)
#define SIG_OUTPUT_COMPARE1B _VECTOR(13)
#define TIMER1_OVF_vect _VECTOR(14)
#define SIG_OVERFLOW1 _VECTOR(14)
#define TIMER0_COMP_vect _VECTOR(15)
#define SIG_OUTPUT_COMPARE0 _VECTOR(15)
#define TIMER0_OVF_vect _VECTOR(16)
#define SIG_OVERFLOW0 _VECTOR(16)
#define SPI_STC_vect _VECTOR(17)
#define SIG_SPI _VECTOR(17)
#define USART0_RX_vect _VECTOR(18)
#define SIG_UART_RECV _VECTOR(18)
#define USART0_UDRE_vect _VECTOR(19)
#define SIG_UART_DATA _VECTOR(19)
#define USART0_TX_vect _VECTOR(20)
#define SIG_UART_TRANS _VECTOR(20)
#define ADC_vect _VECTOR(21)
#define SIG_ADC _VECTOR(21)
#define EE_READY_vect _VECTOR(22)
#define SIG_EEPROM_READY _VECTOR(22)
#define ANALOG_COMP_vect _VECTOR(23)
#define SIG_COMPARATOR _VECTOR(23)

#endif
#endif
