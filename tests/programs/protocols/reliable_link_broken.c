// Both ends of a reliable link over two one-place channels, each guarded by its own full flag.
//
// EXPECT: race data_slot.seq
// EXPECT: race data_slot.value
// EXPECT: safe ack_slot
// EXPECT: safe data_full
// EXPECT: safe ack_full
//
// The flags are accessed in atomic only. A slot is written while its flag is 0 by its one writer, and read while it is 1
// by its one reader, which lowers the flag as its last step.
// The sender's retransmission writes the data slot without looking at the flag.
#include <stdint.h>
#include "circ.h"

struct packet {
    uint8_t seq;
    int value;
};

struct packet data_slot;
uint8_t ack_slot;
uint8_t data_full, ack_full;

static int is_set(const uint8_t *flag)
{
    int v;

    atomic { v = *flag; }
    return v;
}

static void put_flag(uint8_t *flag, uint8_t v)
{
    atomic { *flag = v; }
}

static int send_data(uint8_t seq, int value, int force)
{
    if (!force && is_set(&data_full))
        return 0;
    data_slot.seq = seq;
    data_slot.value = value;
    put_flag(&data_full, 1);
    return 1;
}

static int take_ack(uint8_t *seq)
{
    if (!is_set(&ack_full))
        return 0;
    *seq = ack_slot;
    put_flag(&ack_full, 0);
    return 1;
}

circ_threads(1) void sender(void)
{
    uint8_t seq = 0, got = 0;
    int value = nondet(), tries;

    while (1) {
        tries = 0;
        send_data(seq, value, 0);
        while (!take_ack(&got) || got != seq) {
            if (++tries > 3) {
                tries = 0;
                send_data(seq, value, 1);
            }
        }
        seq ^= 1;
        value = nondet();
    }
}

circ_threads(1) void receiver(void)
{
    uint8_t expected = 0, seq;
    int value, sum = 0;

    while (1) {
        if (!is_set(&data_full))
            continue;
        seq = data_slot.seq;
        value = data_slot.value;
        put_flag(&data_full, 0);
        if (seq == expected) {
            sum += value;
            expected ^= 1;
        }
        if (!is_set(&ack_full)) {
            ack_slot = seq;
            put_flag(&ack_full, 1);
        }
    }
}
