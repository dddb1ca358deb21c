// Ports by number: the registers of port n are at 0x23 + 3 n (input), + 1 (direction), + 2 (output). The handler drives port C.
// CIRC: --platform atmega328p --race-model nesc
//
// EXPECT: race PORTC
//
// main may choose port C, too.
#include <stdint.h>

#define PCICR (*(volatile uint8_t *)0x68)
#define PORTS ((volatile uint8_t *)0x23)
#define sei() __asm__ __volatile__ ("sei" ::: "memory")
#define cli() __asm__ __volatile__ ("cli" ::: "memory")

enum { PORT_B, PORT_C, PORT_D };

extern volatile uint8_t choice;

static void drive(uint8_t port, uint8_t value) { PORTS[3 * port + 2] = value; }

void __vector_4(void) __attribute__((signal));
void __vector_4(void) { drive(PORT_C, 1); }   // writes *0x28

int main(void)
{
    PCICR = 2;
    sei();
    for (;;) {
        uint8_t port = choice;
        if (port <= PORT_D) {
            drive(port, 0);                      // 0x25 and 0x2b
        }
    }
}
