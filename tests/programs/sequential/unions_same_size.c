// CIRC: --property asserts
// Unions: a tagged value with a kind, and two readings of the same bits.
//
// EXPECT: safe asserts
//
// A member is read after it was written, or read at the same width with another sign.
#include <assert.h>
#include <stdint.h>

enum kind { INT, PAIR, FLAG };

struct value {
    enum kind kind;
    union {
        int32_t number;
        struct {
            int16_t low;
            int16_t high;
        } pair;
        uint8_t flag;
    } as;
};

union reading {
    uint16_t raw;
    int16_t temperature;
};

static struct value make_int(int32_t n)
{
    struct value v;

    v.kind = INT;
    v.as.number = n;
    return v;
}

static struct value make_pair(int16_t low, int16_t high)
{
    struct value v;

    v.kind = PAIR;
    v.as.pair.low = low;
    v.as.pair.high = high;
    return v;
}

static int32_t weigh(const struct value *v)
{
    switch (v->kind) {
    case INT:
        return v->as.number;
    case PAIR:
        return v->as.pair.low + v->as.pair.high;
    case FLAG:
        return v->as.flag != 0;
    }
    return -1;
}

int main(void)
{
    struct value a = make_int(-40), b = make_pair(7, -9), c;
    union reading r;

    assert(weigh(&a) == -40);
    assert(weigh(&b) == -2);
    c = b;
    c.as.pair.low = 100;
    assert(weigh(&b) == -2 && weigh(&c) == 91);
    c.kind = FLAG;
    c.as.flag = 9;
    assert(weigh(&c) == 1);

    r.raw = 0xfff6;
    assert(r.temperature == -10);
    r.temperature = -1;
    assert(r.raw == 65535);
    return 0;
}
