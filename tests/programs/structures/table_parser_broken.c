// CIRC: --property asserts
// A table-driven parser for NMEA-like sentences: $body*checksum.
//
// EXPECT: violated asserts
//
// The checksum also takes in the '*', so the good sentence is refused.
#include <assert.h>

enum state { WAIT, BODY, CHECK_HIGH, CHECK_LOW, DONE, FAILED };
enum class { C_DOLLAR, C_STAR, C_HEX, C_OTHER, CLASSES };

static const unsigned char next_state[DONE][CLASSES] = {
    /* WAIT */       { BODY, WAIT, WAIT, WAIT },
    /* BODY */       { FAILED, CHECK_HIGH, BODY, BODY },
    /* CHECK_HIGH */ { FAILED, FAILED, CHECK_LOW, FAILED },
    /* CHECK_LOW */  { FAILED, FAILED, DONE, FAILED },
};

struct parser {
    unsigned char state;
    unsigned char sum;
    unsigned char expected;
};

static enum class classify(char c)
{
    if (c == '$')
        return C_DOLLAR;
    if (c == '*')
        return C_STAR;
    if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'))
        return C_HEX;
    return C_OTHER;
}

static unsigned char hex(char c)
{
    return (unsigned char)(c <= '9' ? c - '0' : c - 'A' + 10);
}

static void feed(struct parser *p, char c)
{
    unsigned char old = p->state;

    if (old >= DONE)
        return;
    p->state = next_state[old][classify(c)];
    switch (old) {
    case BODY:
            p->sum ^= (unsigned char)c;
        break;
    case CHECK_HIGH:
        p->expected = (unsigned char)(hex(c) << 4);
        break;
    case CHECK_LOW:
        p->expected |= hex(c);
        if (p->state == DONE && p->sum != p->expected)
            p->state = FAILED;
        break;
    }
}

static int accepts(const char *s)
{
    struct parser p = { WAIT, 0, 0 };

    while (*s)
        feed(&p, *s++);
    return p.state == DONE;
}

int main(void)
{
    assert(accepts("xx$AB,7*18"));
    assert(!accepts("$AB,7*19"));
    assert(!accepts("$AB,7*1"));
    assert(!accepts("$AB$7*18"));
    return 0;
}
