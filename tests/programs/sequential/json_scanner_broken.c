// CIRC: --property asserts
// A JSON validator without recursion: an explicit stack of open brackets and a state for each level.
//
// EXPECT: violated asserts
//
// After a comma an object may end, so a trailing comma is accepted.
#include <assert.h>
#include <stddef.h>

#define DEPTH 8

enum expect { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, COMMA_OR_END, NOTHING };

struct scanner {
    const char *at;
    char open[DEPTH];
    int depth;
    enum expect expect;
    int keys, values;
};

static void skip_space(struct scanner *s)
{
    while (*s->at == ' ' || *s->at == '\n' || *s->at == '\t')
        s->at++;
}

static int scan_string(struct scanner *s)
{
    for (s->at++; *s->at && *s->at != '"'; s->at++) {
        if (*s->at == '\\' && *++s->at == '\0')
            return 0;
    }
    if (*s->at != '"')
        return 0;
    s->at++;
    return 1;
}

static int scan_number(struct scanner *s)
{
    int digits = 0;

    if (*s->at == '-')
        s->at++;
    for (; *s->at >= '0' && *s->at <= '9'; s->at++)
        digits++;
    if (digits == 0)
        return 0;
    if (*s->at == '.') {
        for (digits = 0, s->at++; *s->at >= '0' && *s->at <= '9'; s->at++)
            digits++;
    }
    return digits > 0;
}

static int scan_word(struct scanner *s, const char *word)
{
    while (*word) {
        if (*s->at++ != *word++)
            return 0;
    }
    return 1;
}

static void value_done(struct scanner *s)
{
    s->values++;
    s->expect = s->depth == 0 ? NOTHING : COMMA_OR_END;
}

static int open_bracket(struct scanner *s, char c)
{
    if (s->depth == DEPTH)
        return 0;
    s->open[s->depth++] = c;
    s->expect = c == '{' ? KEY_OR_END : VALUE_OR_END;
    s->at++;
    return 1;
}

static int close_bracket(struct scanner *s, char c)
{
    char opened;

    if (s->depth == 0)
        return 0;
    opened = s->open[--s->depth];
    if ((c == '}') != (opened == '{'))
        return 0;
    s->at++;
    value_done(s);
    return 1;
}

static int scan_value(struct scanner *s)
{
    int ok;

    switch (*s->at) {
    case '{': case '[':
        return open_bracket(s, *s->at);
    case '"':
        ok = scan_string(s);
        break;
    case 't':
        ok = scan_word(s, "true");
        break;
    case 'f':
        ok = scan_word(s, "false");
        break;
    case 'n':
        ok = scan_word(s, "null");
        break;
    default:
        ok = scan_number(s);
        break;
    }
    if (ok)
        value_done(s);
    return ok;
}

static int scan_one(struct scanner *s)
{
    char c = *s->at;

    switch (s->expect) {
    case VALUE_OR_END:
        if (c == ']')
            return close_bracket(s, c);
        /* fall through */
    case VALUE:
        return scan_value(s);
    case KEY_OR_END:
        if (c == '}')
            return close_bracket(s, c);
        /* fall through */
    case KEY:
        if (c != '"' || !scan_string(s))
            return 0;
        s->keys++;
        s->expect = COLON;
        return 1;
    case COLON:
        if (c != ':')
            return 0;
        s->at++;
        s->expect = VALUE;
        return 1;
    case COMMA_OR_END:
        if (c == ',') {
            s->at++;
            s->expect = s->open[s->depth - 1] == '{' ? KEY_OR_END : VALUE;
            return 1;
        }
        return (c == ']' || c == '}') && close_bracket(s, c);
    case NOTHING:
        break;
    }
    return 0;
}

static struct scanner scanner;

static int valid(const char *text)
{
    scanner.at = text;
    scanner.depth = 0;
    scanner.keys = scanner.values = 0;
    scanner.expect = VALUE;
    for (;;) {
        skip_space(&scanner);
        if (*scanner.at == '\0')
            return scanner.expect == NOTHING;
        if (!scan_one(&scanner))
            return 0;
    }
}

int main(void)
{
    assert(valid("{\"id\": 7, \"tags\": [\"a\", \"b\\\"c\"], \"ok\": true}"));
    assert(scanner.keys == 3 && scanner.values == 6);
    assert(valid(" [ ] ") && valid("-12.5") && valid("null"));
    assert(!valid("") && !valid("[1, 2") && !valid("[1 2]") && !valid("{\"a\" 1}"));
    assert(!valid("[1}") && !valid("tru") && !valid("1.") && !valid("[1] 2"));
    assert(!valid("[[[[[[[[[1]]]]]]]]]"));
    assert(!valid("{\"a\": 1,}"));
    return 0;
}
