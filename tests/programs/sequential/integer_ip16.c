// CIRC: --property asserts --data-model ip16
// The same arithmetic on a machine with a 16-bit int: what changes on an AVR.
//
// EXPECT: safe asserts
//
// int has 16 bits, long 32: uint16_t does not promote to int, products overflow at 65536.
#include "circ.h"

typedef unsigned char u8;
typedef unsigned int u16;
typedef unsigned long u32;

static u16 crc_shift(u16 crc)
{
    return crc << 1;
}

int main(void)
{
    u16 a = 40000;
    u16 b = 30000;
    u8 c = 200;
    int i = 32767;
    u32 wide;

    assert(sizeof(int) == 2 && sizeof(long) == 4 && sizeof(char *) == 2);
    a = a + b;
    assert(a == 4464);
    assert(crc_shift(0x8001) == 2);
    assert((u16)(c * 2) == 400);
    i = i + 1;
    assert(i == -32768);
    wide = (u32)b * 3;
    assert(wide == 90000);
    return 0;
}
