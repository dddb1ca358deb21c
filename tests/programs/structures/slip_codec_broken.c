// CIRC: --property asserts
// SLIP framing: END and ESC are escaped; decoding gives back what was encoded.
//
// EXPECT: violated asserts
//
// ESC itself is not escaped.
#include <stdint.h>
#include "circ.h"

#define END 0xc0
#define ESC 0xdb
#define ESC_END 0xdc
#define ESC_ESC 0xdd

static uint8_t wire[16];
static uint8_t back[8];

static int encode(const uint8_t *from, int n)
{
    int i, out = 0;

    for (i = 0; i < n; i++) {
        switch (from[i]) {
        case END:
            wire[out++] = ESC;
            wire[out++] = ESC_END;
            break;
        default:
            wire[out++] = from[i];
            break;
        }
    }
    wire[out++] = END;
    return out;
}

static int decode(int n)
{
    int i, out = 0, escaped = 0;

    for (i = 0; i < n && wire[i] != END; i++) {
        uint8_t b = wire[i];

        if (escaped) {
            escaped = 0;
            back[out++] = b == ESC_END ? END : b == ESC_ESC ? ESC : b;
        } else if (b == ESC) {
            escaped = 1;
        } else {
            back[out++] = b;
        }
    }
    return out;
}

int main(void)
{
    uint8_t data[3];
    int i, n;

    for (i = 0; i < 3; i++)
        data[i] = (uint8_t)nondet();
    n = encode(data, 3);
    assert(n >= 4 && n <= 7);
    assert(wire[n - 1] == END);
    assert(decode(n) == 3);
    for (i = 0; i < 3; i++)
        assert(back[i] == data[i]);
    return 0;
}
