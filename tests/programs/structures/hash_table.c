// CIRC: --property asserts
// Open addressing with tombstones, and an iteration limit.
//
// EXPECT: safe asserts
//
// 3, 11 and 19 hash to the same slot; deletion in the middle keeps the chain findable.
#include <assert.h>

#define SLOTS 8
#define EMPTY 0
#define DELETED (-1)

struct entry { int key; int value; };

static struct entry table[SLOTS];

static unsigned hash(int key)
{
    return (unsigned)key & (SLOTS - 1);
}

static struct entry *lookup(int key)
{
    unsigned i, n;

    for (n = 0, i = hash(key); n < SLOTS; n++, i = (i + 1) % SLOTS) {
        if (table[i].key == key)
            return &table[i];
        if (table[i].key == EMPTY)
            return 0;
    }
    return 0;
}

static int insert(int key, int value)
{
    struct entry *e = lookup(key);
    unsigned i, n;

    if (e) {
        e->value = value;
        return 1;
    }
    for (n = 0, i = hash(key); n < SLOTS; n++, i = (i + 1) % SLOTS) {
        if (table[i].key == EMPTY || table[i].key == DELETED) {
            table[i].key = key;
            table[i].value = value;
            return 1;
        }
    }
    return 0;
}

static void delete(int key)
{
    struct entry *e = lookup(key);

    if (e)
        e->key = DELETED;
}

int main(void)
{
    assert(insert(3, 30) && insert(11, 110) && insert(19, 190));
    assert(lookup(19)->value == 190 && lookup(3)->value == 30);
    delete(11);
    assert(lookup(11) == 0);
    assert(lookup(19) != 0 && lookup(19)->value == 190);
    assert(insert(11, 111));
    assert(table[4].key == 11);
    assert(insert(3, 33) && lookup(3)->value == 33);
    return 0;
}
