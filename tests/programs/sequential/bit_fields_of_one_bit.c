// Bit fields of one bit: an unsigned one takes the lowest bit of what is stored, a _Bool one whether it is not 0.
//
// CIRC: --property asserts
// EXPECT: safe asserts
//
// One unsigned bit and _Bool have the same two values, but C converts to them differently.
#include <assert.h>

struct flags {
    unsigned ready : 1;
    int sign : 1;
    unsigned mode : 3;
    signed level : 4;
    _Bool seen : 1;
};

static struct flags now;
static struct flags table[2] = {{2, 0, 9, 1, 2}, {.mode = 5}};

int main(void)
{
    long wide = 4;
    int result;

    now.ready = 1;
    now.sign = -1;
    now.mode = 5;
    now.level = -3;
    now.seen = 2;
    assert(now.ready == 1 && now.sign == -1 && now.mode == 5 && now.level == -3 && now.seen == 1);
    result = (now.ready = 2);
    assert(result == 0 && now.ready == 0);
    now.ready++;
    assert(now.ready == 1);
    now.ready++;
    assert(now.ready == 0);
    now.ready = wide;
    assert(now.ready == 0);
    now.ready = -1;
    assert(now.ready == 1);
    now.ready += 3;
    assert(now.ready == 0 && now.mode == 5 && now.level == -3);
    assert(table[0].ready == 0 && table[0].mode == 1 && table[0].seen == 1 && table[1].mode == 5);
    return 0;
}
