// An output port shared by main and the blink interrupt; each owns some of its bits.
//
// EXPECT: race port_image
//
// main sets its bit by a plain read-modify-write: a blink in between is lost.
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
    port_image |= mask;
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
