// CIRC: --property all
// The second attempt: look at the other's flag first, raise one's own afterwards. Both get in.
//
// EXPECT: race cell
// EXPECT: violated asserts
// EXPECT: race busy0
// EXPECT: race busy1
//
// Both look before either has raised its flag.
#include "circ.h"

int busy0, busy1;
int cell;

circ_threads(1) void first(void)
{
    while (1) {
        while (busy1) {
        }
        busy0 = 1;
        cell = 1;
        assert(cell == 1);
        busy0 = 0;
    }
}

circ_threads(1) void second(void)
{
    while (1) {
        while (busy0) {
        }
        busy1 = 1;
        cell = 2;
        assert(cell == 2);
        busy1 = 0;
    }
}
