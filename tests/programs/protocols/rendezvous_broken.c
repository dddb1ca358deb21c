// A client puts a request into a shared block, a server answers into the same block, the client takes the answer.
//
// EXPECT: race block.request
// EXPECT: race block.answer
// EXPECT: safe stage
//
// stage: 0 free, 1 being filled, 2 request ready, 3 being served, 4 answer ready, 5 being taken. Changed in atomic.
// The client takes the answer when the server has begun, not when it has finished; the next client may then write its
// request while the server still reads the old one.
#include "circ.h"

struct block {
    int request;
    int answer;
};

struct block block;
int stage;

static int advance(int from, int to)
{
    int ok = 0;

    atomic {
        if (stage == from) {
            stage = to;
            ok = 1;
        }
    }
    return ok;
}

circ_thread void client(void)
{
    int answer = 0;

    while (1) {
        if (!advance(0, 1))
            continue;
        block.request = nondet();
        advance(1, 2);
        while (!advance(3, 5)) {
        }
        answer += block.answer;
        advance(5, 0);
    }
}

circ_threads(1) void server(void)
{
    int r;

    while (1) {
        if (!advance(2, 3))
            continue;
        r = block.request;
        block.answer = r * 2;
        advance(3, 4);
    }
}
