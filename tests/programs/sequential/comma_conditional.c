// CIRC: --property asserts
// Comma, conditional, short circuit, compound assignment, pre and post increment: order and values.
//
// EXPECT: safe asserts
//
// Sequence points of C: the right side of &&, || and , comes after the left; ?: evaluates one branch.
#include <assert.h>

static int calls;

static int touch(int v)
{
    calls++;
    return v;
}

int main(void)
{
    int a = 1, b = 2, c, i, j;
    unsigned char u = 250;

    c = (a++, b += a, b * 2);
    assert(a == 2 && b == 4 && c == 8);

    calls = 0;
    assert(!(touch(0) && touch(1)) && calls == 1);
    calls = 0;
    assert((touch(1) || touch(0)) && calls == 1);
    calls = 0;
    c = touch(0) ? touch(10) : touch(20);
    assert(c == 20 && calls == 2);

    for (i = 0, j = 10; i < j; i++, j -= 2) {
        continue;
    }
    assert(i == 4 && j == 2);

    u += 10;
    assert(u == 4);
    u -= 5;
    assert(u == 255);
    u <<= 4;
    assert(u == 0xf0);
    u |= 0x0f, u ^= 0x81;
    assert(u == 0x7e);
    c = a > 0 ? b > 100 ? 1 : 2 : 3;
    assert(c == 2);
    c = i++ + ++j;
    assert(c == 7 && i == 5 && j == 3);
    assert(-(-5) == 5 && ~0 == -1 && !0 == 1 && !17 == 0);
    return 0;
}
