// A driver without main: the base program calls its functions in any order, beside the handler.
// EXPECT: race errors
// EXPECT: safe received
// EXPECT: safe baud
#include <circ.h>
#include <stdint.h>

static uint16_t errors;
static uint16_t received;
static uint16_t baud;

__attribute__((signal)) void USART_RX_vect(void)
{
    received++;
    errors++;
}

void serial_set_baud(uint16_t value)
{
    baud = value;
}

uint16_t serial_errors(void)
{
    return errors;
}

uint16_t serial_received(void)
{
    uint16_t count;

    atomic { count = received; }
    return count;
}
