// CIRC: --property asserts
// Pointers: arithmetic, differences, pointers to pointers, array decay, const strings.
//
// EXPECT: safe asserts
//
// Plain C semantics of pointers into one array.
#include <assert.h>
#include <stddef.h>

static int cells[8];
static const char text[] = "status=ok;";

static size_t length(const char *s)
{
    const char *p = s;

    while (*p)
        p++;
    return (size_t)(p - s);
}

static const char *find_char(const char *s, char c)
{
    for (; *s; s++)
        if (*s == c)
            return s;
    return NULL;
}

static void fill(int *from, int *to, int v)
{
    while (from < to)
        *from++ = v++;
}

static void advance(int **p, int n)
{
    *p += n;
}

int main(void)
{
    int *p = cells;
    int *q;
    const char *eq;

    fill(cells, cells + 8, 10);
    assert(cells[0] == 10 && *(cells + 7) == 17 && 3[cells] == 13);
    advance(&p, 3);
    assert(*p == 13 && p - cells == 3);
    q = &p[2];
    assert(*q-- == 15 && *q == 14);
    assert(q > p && q - p == 1);
    *++q = 99;
    assert(cells[5] == 99);

    assert(length(text) == 10 && sizeof text == 11);
    eq = find_char(text, '=');
    assert(eq != NULL && eq[1] == 'o' && eq - text == 6);
    assert(find_char(text, '#') == NULL);
    return 0;
}
