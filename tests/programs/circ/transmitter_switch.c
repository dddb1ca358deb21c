// A byte-wise transmitter with a busy token: whoever has the token runs the state machine.
//
// EXPECT: safe busy
// EXPECT: safe tx_state
// EXPECT: safe count
//
// The token is taken by an atomic test-and-set of `busy` and handed back inside atomic.
// tx_state and count are touched only while the token is held.
#include "circ.h"

enum tx { TX_IDLE, TX_HEADER, TX_DATA, TX_CRC };

int busy;
enum tx tx_state = TX_IDLE;
unsigned char count;

static int claim(void)
{
    int free;

    atomic {
        free = !busy;
        busy = 1;
    }
    return free;
}

static void hand_back(void)
{
    atomic { busy = 0; }
}

circ_thread void byte_ready(void)
{
    while (1) {
        if (!claim()) {
            continue;
        }
        switch (tx_state) {
        case TX_IDLE:
            count = 0;
            tx_state = TX_HEADER;
            hand_back();
            break;
        case TX_HEADER:
            tx_state = TX_DATA;
            hand_back();
            break;
        case TX_DATA:
            if (++count == 4) {
                tx_state = TX_CRC;
            }
            hand_back();
            break;
        case TX_CRC:
            tx_state = TX_IDLE;
            /* fall through */
        default:
            hand_back();
            break;
        }
    }
}
