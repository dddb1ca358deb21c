// Stop and wait with a retransmission timer: the buffer is kept until the acknowledgement.
//
// EXPECT: safe packet
// EXPECT: safe waiting
// EXPECT: safe sending
//
// waiting: a packet is in the buffer; sending: someone is putting it on the wire. Both change in atomic only.
// The application writes a new packet only while nothing is waiting and nobody sends; the timer resends only while
// waiting, and marks that it is sending.
#include "circ.h"

int waiting, sending;
int packet;

circ_threads(1) void application(void)
{
    int go;

    while (1) {
        go = 0;
        atomic {
            if (!waiting && !sending)
                go = 1;
        }
        if (!go)
            continue;
        packet = nondet();
        atomic { waiting = 1; }
    }
}

circ_threads(1) void timer(void)
{
    int go, wire = 0;

    while (1) {
        go = 0;
        atomic {
            if (waiting) {
                sending = 1;
                go = 1;
            }
        }
        if (!go)
            continue;
        wire = packet;
        if (wire < 0)
            wire = 0;
        atomic { sending = 0; }
    }
}

circ_threads(1) void acknowledgements(void)
{
    while (1) {
        if (nondet())
            atomic { waiting = 0; }
    }
}
