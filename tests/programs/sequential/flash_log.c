// CIRC: --property asserts
// A log in two flash pages: bits can only be cleared, a page is erased as a whole, the newest record survives a change of page.
//
// EXPECT: safe asserts
//
// After any number of writes the newest value is found, and no word is programmed twice without an erase.
#include <assert.h>
#include <stdint.h>

#define WORDS 6
#define ERASED 0xffffu
#define VALID 0x0000u

struct page {
    uint16_t mark;
    uint16_t word[WORDS];
};

static struct page flash[2];
static int erases, lost;

static void erase(int p)
{
    int i;

    flash[p].mark = ERASED;
    for (i = 0; i < WORDS; i++)
        flash[p].word[i] = ERASED;
    erases++;
}

static void program(uint16_t *cell, uint16_t v)
{
    assert((uint16_t)(*cell & v) == v);
    *cell = v;
}

static int valid_page(void)
{
    if (flash[0].mark == VALID)
        return 0;
    if (flash[1].mark == VALID)
        return 1;
    return -1;
}

static int last_used(int p)
{
    int i;

    for (i = WORDS - 1; i >= 0; i--) {
        if (flash[p].word[i] != ERASED)
            return i;
    }
    return -1;
}

static int read_log(uint16_t *v)
{
    int p = valid_page(), i;

    if (p < 0)
        return 0;
    i = last_used(p);
    if (i < 0)
        return 0;
    *v = flash[p].word[i];
    return 1;
}

static void check_not_lost(int anything_written)
{
    uint16_t v;

    if (anything_written && !read_log(&v))
        lost++;
}

static void write_log(uint16_t v)
{
    int p = valid_page(), i, other;

    i = last_used(p);
    if (i < WORDS - 1) {
        program(&flash[p].word[i + 1], v);
        return;
    }
    other = 1 - p;
    erase(other);
    program(&flash[other].word[0], v);
    program(&flash[other].mark, VALID);
    check_not_lost(1);
    erase(p);
    check_not_lost(1);
}

int main(void)
{
    uint16_t v = 0;
    int i;

    erase(0);
    erase(1);
    program(&flash[0].mark, VALID);
    assert(!read_log(&v));
    for (i = 0; i < 20; i++) {
        write_log((uint16_t)(i * 3));
        assert(read_log(&v) && v == i * 3);
    }
    assert(lost == 0);
    assert(erases == 2 + 2 * 3);
    return 0;
}
