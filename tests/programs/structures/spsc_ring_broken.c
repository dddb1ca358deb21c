// A ring buffer for one producer and one consumer with plain indices.
//
// EXPECT: race ring[]
// EXPECT: race head
// EXPECT: race tail
//
// head is written by the producer while the consumer polls it, and tail the other way round: races in the model's
// sense, harmless where a byte is read and written in one instruction.
// The producer publishes head before it fills the cell: the consumer may be reading that very cell.
#include "circ.h"

#define SIZE 4

unsigned char head, tail;
int ring[SIZE];

static int put(int v)
{
    unsigned char next = (unsigned char)((head + 1) % SIZE);
    unsigned char at = head;

    if (next == tail)
        return 0;
    head = next;
    ring[at] = v;
    return 1;
}

static int get(int *v)
{
    if (head == tail)
        return 0;
    *v = ring[tail];
    tail = (unsigned char)((tail + 1) % SIZE);
    return 1;
}

circ_threads(1) void producer(void)
{
    int v = 0;

    while (1) {
        if (put(v))
            v++;
    }
}

circ_threads(1) void consumer(void)
{
    int v = 0, sum = 0;

    while (1) {
        if (get(&v))
            sum += v;
    }
}
