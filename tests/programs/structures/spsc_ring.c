// A ring buffer for one producer and one consumer with plain indices.
//
// EXPECT: safe ring[]
// EXPECT: race head
// EXPECT: race tail
//
// head is written by the producer while the consumer polls it, and tail the other way round: races in the model's
// sense, harmless where a byte is read and written in one instruction.
// The cells themselves are exclusive: the producer fills ring[head] before it publishes head, the consumer reads
// ring[tail] before it publishes tail, and one cell stays free.
#include "circ.h"

#define SIZE 4

unsigned char head, tail;
int ring[SIZE];

static int put(int v)
{
    unsigned char next = (unsigned char)((head + 1) % SIZE);

    if (next == tail)
        return 0;
    ring[head] = v;
    head = next;
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
