// CIRC: --property asserts
// Duff's device: a switch whose labels sit inside a loop.
//
// EXPECT: safe asserts
//
// Case labels may stand anywhere in the switch's body, also inside a do loop.
#include <assert.h>

static int sink[16];

static int copy(int *to, const int *from, int count)
{
    int rounds, start = count;

    if (count <= 0)
        return 0;
    rounds = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--rounds > 0);
    }
    return start;
}

int main(void)
{
    static const int source[] = { 5, 4, 3, 2, 1, 10, 20 };
    int i;

    assert(copy(sink, source, 7) == 7);
    for (i = 0; i < 7; i++)
        assert(sink[i] == source[i]);
    assert(sink[7] == 0);
    assert(copy(sink + 8, source, 4) == 4);
    assert(sink[8] == 5 && sink[11] == 2 && sink[12] == 0);
    assert(copy(sink, source, 0) == 0);
    return 0;
}
