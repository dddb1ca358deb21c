// A Modbus-like slave: the receive interrupt collects a frame, main answers it, the transmit interrupt sends the answer.
//
// EXPECT: safe line
// EXPECT: race frame[]
// EXPECT: race length
// EXPECT: safe registers[]
//
// line says who works on the frame: LISTENING the receive handler, RECEIVED main, ANSWERING the transmit handler. It is
// accessed in atomic only; each party hands it on as its last step. registers belongs to main.
// The receive handler collects bytes in every state but ANSWERING, so it writes frame while main reads it.
#include <stdint.h>
#include "circ.h"

#define ADDRESS 17
#define MAX_FRAME 8
#define REGISTERS 4

enum line { LISTENING, RECEIVED, ANSWERING };
enum function { READ_REGISTER = 3, WRITE_REGISTER = 6 };

int rx_on = 1, tx_on = 1;

uint8_t line = LISTENING;
uint8_t frame[MAX_FRAME];
uint8_t length;
uint8_t position;
uint16_t registers[REGISTERS];

static uint8_t line_state(void)
{
    uint8_t l;

    atomic { l = line; }
    return l;
}

static void hand_to(uint8_t l)
{
    atomic { line = l; }
}

circ_interrupt(rx_on) void uart_rx(void)
{
    uint8_t c = (uint8_t)nondet();
    int gap = nondet();

    if (line_state() == ANSWERING)
        return;
    if (gap) {
        if (length >= 4)
            hand_to(RECEIVED);
        else
            length = 0;
        return;
    }
    if (length < MAX_FRAME) {
        frame[length] = c;
        length++;
    }
}

circ_interrupt(tx_on) void uart_tx_empty(void)
{
    uint8_t out = 0;

    if (line_state() != ANSWERING)
        return;
    if (position < length) {
        out = frame[position];
        position++;
        if (out == 0)
            return;
    } else {
        length = 0;
        hand_to(LISTENING);
    }
}

static uint8_t checksum(uint8_t n)
{
    uint8_t i, sum = 0;

    for (i = 0; i < n; i++)
        sum = (uint8_t)(sum + frame[i]);
    return (uint8_t)~sum;
}

static int handle_read(void)
{
    uint8_t which = frame[2];

    if (which >= REGISTERS)
        return 0;
    frame[2] = (uint8_t)(registers[which] >> 8);
    frame[3] = (uint8_t)registers[which];
    length = 4;
    return 1;
}

static int handle_write(void)
{
    uint8_t which = frame[2];

    if (which >= REGISTERS)
        return 0;
    registers[which] = frame[3];
    return 1;
}

static void answer(void)
{
    int ok = 0;

    if (frame[0] == ADDRESS) {
        switch (frame[1]) {
        case READ_REGISTER:
            ok = handle_read();
            break;
        case WRITE_REGISTER:
            ok = handle_write();
            break;
        default:
            break;
        }
    }
    if (!ok) {
        length = 0;
        hand_to(LISTENING);
        return;
    }
    if (length < MAX_FRAME) {
        frame[length] = checksum(length);
        length++;
    }
    position = 0;
    hand_to(ANSWERING);
}

int main(void)
{
    while (1) {
        if (line_state() == RECEIVED)
            answer();
    }
}
