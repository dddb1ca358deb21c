// A pool of three message buffers with owners: free, with a producer, queued, with the consumer.
//
// EXPECT: race pool[].length
// EXPECT: race pool[].body
// EXPECT: safe state[]
//
// state[i] is accessed in atomic only.
// A consumer leaves the buffer in the state QUEUED while it drains it, so a second consumer takes it as well.
#include "circ.h"

#define BUFFERS 3

enum { FREE, FILLING, QUEUED, DRAINING };

struct message {
    int length;
    int body;
};

struct message pool[BUFFERS];
unsigned char state[BUFFERS];

static int claim(unsigned char from, unsigned char to)
{
    int i, found = -1;

    atomic {
        for (i = 0; i < BUFFERS && found < 0; i++) {
            if (state[i] == from) {
                state[i] = to;
                found = i;
            }
        }
    }
    return found;
}

static void set_state(int i, unsigned char to)
{
    atomic { state[i] = to; }
}

circ_threads(2) void producer(void)
{
    int b;

    while (1) {
        b = claim(FREE, FILLING);
        if (b < 0)
            continue;
        pool[b].length = 1;
        pool[b].body = nondet();
        set_state(b, QUEUED);
    }
}

circ_threads(2) void consumer(void)
{
    int b, sum = 0;

    while (1) {
        b = claim(QUEUED, QUEUED);
        if (b < 0)
            continue;
        if (pool[b].length > 0)
            sum += pool[b].body;
        pool[b].length = 0;
        pool[b].body = 0;
        set_state(b, FREE);
    }
}
