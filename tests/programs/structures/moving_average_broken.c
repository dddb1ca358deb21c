// CIRC: --property asserts
// A moving average over four samples with a running sum.
//
// EXPECT: violated asserts
//
// The old sample is subtracted after it was overwritten.
#include <stdint.h>
#include "circ.h"

#define TAPS 4

static uint16_t window[TAPS];
static uint32_t sum;
static uint8_t at;

static uint16_t add_sample(uint16_t v)
{
    window[at] = v;
    sum -= window[at];
    sum += v;
    at = (uint8_t)((at + 1) % TAPS);
    return (uint16_t)(sum / TAPS);
}

int main(void)
{
    uint32_t check;
    int i, k;

    for (i = 0; i < 6; i++) {
        add_sample((uint16_t)(nondet() & 0x3ff));
        check = 0;
        for (k = 0; k < TAPS; k++)
            check += window[k];
        assert(check == sum);
    }
    assert(sum / TAPS <= 0x3ff);
    return 0;
}
