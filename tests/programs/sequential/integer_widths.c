// CIRC: --property asserts --data-model lp64
// Integer conversions, promotions and wrap-around at every width.
//
// EXPECT: safe asserts
//
// Each assertion is what C says for 8, 16, 32 and 64 bits with a 32-bit int and a 64-bit long.
#include <assert.h>
#include <stdint.h>

static uint8_t sum8(uint8_t a, uint8_t b)
{
    return a + b;
}

static int sum_promoted(uint8_t a, uint8_t b)
{
    return a + b;
}

static int16_t narrow(int32_t v)
{
    return (int16_t)v;
}

int main(void)
{
    int8_t s8 = -128;
    uint8_t u8 = 255;
    int16_t s16 = 32767;
    uint16_t u16 = 65535;
    int32_t s32 = -1;
    uint32_t u32 = 4000000000u;
    int64_t s64 = -5000000000LL;
    uint64_t u64 = 1ULL << 63;

    assert(sum8(200, 100) == 44);
    assert(sum_promoted(200, 100) == 300);
    assert(narrow(70000) == 4464);
    assert(narrow(40000) == -25536);

    s8 = (int8_t)(s8 - 1);
    assert(s8 == 127);
    u8++;
    assert(u8 == 0);
    u8--;
    assert(u8 == 255);
    s16 = (int16_t)(s16 + 1);
    assert(s16 == -32768);
    u16 += 2;
    assert(u16 == 1);

    u32 = u32 * 2u;
    assert(u32 == 3705032704u);
    assert((uint16_t)s32 == 65535);
    assert((uint32_t)s32 == 0xffffffffu);
    assert((int64_t)(uint32_t)s32 == 4294967295LL);
    assert((int64_t)s32 == -1LL);
    assert(s64 / 3 == -1666666666LL);
    assert(s64 % 3 == -2);
    assert(u64 + u64 == 0);
    assert(u64 >> 63 == 1);
    assert(-7 / 2 == -3 && -7 % 2 == -1 && 7 / -2 == -3 && 7 % -2 == 1);
    assert((-8 >> 1) == -4);
    assert(sizeof(u64) == 8 && sizeof(long) == 8 && sizeof(s16) == 2);
    assert(sizeof(u8 + u8) == sizeof(int));
    assert('A' + 1 == 'B' && '\n' == 10 && '\x41' == 65);
    assert(!(s32 < 1u));
    return 0;
}
