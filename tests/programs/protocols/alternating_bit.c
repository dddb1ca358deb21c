// The alternating bit protocol over a shared frame: the sender reuses it when the acknowledgement carries its bit.
//
// EXPECT: safe frame
// EXPECT: safe sent_bit
// EXPECT: safe ack_bit
//
// The bits are accessed in atomic only.
// sent_bit != ack_bit: the frame is the receiver's; equal: it is the sender's. Each side changes its own bit last.
#include "circ.h"

int frame;
int sent_bit, ack_bit;

circ_threads(1) void sender(void)
{
    int mine, data = 0;

    while (1) {
        atomic { mine = sent_bit == ack_bit; }
        if (!mine)
            continue;
        frame = data++;
        atomic { sent_bit = 1 - sent_bit; }
    }
}

circ_threads(1) void receiver(void)
{
    int mine, sum = 0;

    while (1) {
        atomic { mine = sent_bit != ack_bit; }
        if (!mine)
            continue;
        sum += frame;
        atomic { ack_bit = sent_bit; }
    }
}
