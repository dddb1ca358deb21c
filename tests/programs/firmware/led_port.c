// An output port shared by main and the blink interrupt; each owns some of its bits.
//
// EXPECT: safe port_image
//
// main changes its bit inside atomic, so the read-modify-write cannot be torn by the handler.
#include <stdint.h>
#include "circ.h"

#define LED_HEART 0x01
#define LED_ERROR 0x02
#define RELAY     0x80

int blink_on = 1;
uint8_t port_image;

circ_interrupt(blink_on) void blink_timer(void)
{
    port_image ^= LED_HEART;
}

static void set_bits(uint8_t mask)
{
    atomic { port_image |= mask; }
}

static void clear_bits(uint8_t mask)
{
    atomic { port_image &= (uint8_t)~mask; }
}

int main(void)
{
    int fault;

    while (1) {
        fault = nondet();
        if (fault) {
            set_bits(LED_ERROR);
            clear_bits(RELAY);
        } else {
            clear_bits(LED_ERROR);
            set_bits(RELAY);
        }
    }
}
