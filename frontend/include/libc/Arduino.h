/* Arduino.h: what sketches in C use of the core */
#ifndef _CIRC_ARDUINO_H
#define _CIRC_ARDUINO_H
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <avr/interrupt.h>
#include <avr/pgmspace.h>
#include <avr/io.h>

#define HIGH 1
#define LOW 0
#define INPUT 0
#define OUTPUT 1
#define INPUT_PULLUP 2
#define CHANGE 1
#define FALLING 2
#define RISING 3
#define LED_BUILTIN 13

typedef uint8_t byte;
typedef uint16_t word;
typedef bool boolean;

#define bit(n) (1UL << (n))
#define bitRead(value, n) (((value) >> (n)) & 1)
#define bitSet(value, n) ((value) |= bit(n))
#define bitClear(value, n) ((value) &= ~bit(n))
#define lowByte(value) ((uint8_t)((value) & 0xff))
#define highByte(value) ((uint8_t)((value) >> 8))
#define constrain(value, low, high) ((value) < (low) ? (low) : (value) > (high) ? (high) : (value))
#define digitalPinToInterrupt(pin) ((pin) == 2 ? 0 : (pin) == 3 ? 1 : -1)

int nondet(void);

/* None of these switches interrupts, or touches what the program knows; what comes from outside may be anything. */
static inline void pinMode(uint8_t pin, uint8_t mode) { (void)pin; (void)mode; }
static inline void digitalWrite(uint8_t pin, uint8_t value) { (void)pin; (void)value; }
static inline int digitalRead(uint8_t pin) { (void)pin; return nondet() & 1; }
static inline int analogRead(uint8_t pin) { (void)pin; return nondet() & 1023; }
static inline void analogWrite(uint8_t pin, int value) { (void)pin; (void)value; }
static inline void analogReference(uint8_t mode) { (void)mode; }
static inline unsigned long millis(void)
{
    unsigned long high = (unsigned int)nondet();
    return high << (sizeof(long) > sizeof(int) ? 8 * sizeof(int) : 0) | (unsigned int)nondet();
}
static inline unsigned long micros(void) { return millis(); }
static inline void delay(unsigned long milliseconds) { (void)milliseconds; }
static inline void delayMicroseconds(unsigned int microseconds) { (void)microseconds; }
void attachInterrupt(uint8_t number, void (*handler)(void), int mode);
void detachInterrupt(uint8_t number);
#define interrupts() sei()
#define noInterrupts() cli()

void setup(void);
void loop(void);
#endif
