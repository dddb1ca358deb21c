// CIRC: --property asserts
// Reading decimal and hexadecimal numbers from text, and writing them back.
//
// EXPECT: safe asserts
//
// The texts are fixed, so each result is known.
#include <assert.h>

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static int parse(const char *s, int base, long *out)
{
    long v = 0;
    int sign = 1, any = 0, d;

    if (*s == '-') {
        sign = -1;
        s++;
    }
    while ((d = digit_value(*s)) >= 0 && d < base) {
        v = v * base + d;
        any = 1;
        s++;
    }
    if (!any || *s)
        return 0;
    *out = sign * v;
    return 1;
}

static int format(char *to, unsigned v)
{
    char tmp[12];
    int n = 0, i;

    do {
        tmp[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    for (i = 0; i < n; i++)
        to[i] = tmp[n - 1 - i];
    to[n] = '\0';
    return n;
}

int main(void)
{
    long v = 0;
    char text[12];

    assert(parse("1250", 10, &v) && v == 1250);
    assert(parse("-7", 10, &v) && v == -7);
    assert(parse("ff", 16, &v) && v == 255);
    assert(parse("2B", 16, &v) && v == 43);
    assert(!parse("12x", 10, &v));
    assert(!parse("", 10, &v));
    assert(format(text, 4095) == 4);
    assert(text[0] == '4' && text[3] == '5' && text[4] == '\0');
    assert(parse(text, 10, &v) && v == 4095);
    return 0;
}
