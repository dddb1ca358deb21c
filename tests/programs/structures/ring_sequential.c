// CIRC: --property asserts
// A byte queue whose free-running 8-bit indices wrap; the size is a power of two.
//
// EXPECT: safe asserts
//
// The difference of the indices is the fill level, also after they wrapped at 256.
#include <assert.h>
#include <stdint.h>

#define SIZE 16
#define MASK (SIZE - 1)

struct queue {
    uint8_t head;
    uint8_t tail;
    uint8_t data[SIZE];
};

static struct queue q;

static uint8_t level(const struct queue *p)
{
    return (uint8_t)(p->head - p->tail);
}

static int put(struct queue *p, uint8_t v)
{
    if (level(p) == SIZE)
        return 0;
    p->data[p->head++ & MASK] = v;
    return 1;
}

static int get(struct queue *p, uint8_t *v)
{
    if (level(p) == 0)
        return 0;
    *v = p->data[p->tail++ & MASK];
    return 1;
}

int main(void)
{
    uint8_t v = 0;
    unsigned i;

    q.head = q.tail = 250;
    for (i = 0; i < SIZE; i++)
        assert(put(&q, (uint8_t)(i * 3)));
    assert(!put(&q, 99));
    assert(q.head == 10);
    for (i = 0; i < SIZE; i++) {
        assert(get(&q, &v));
        assert(v == (uint8_t)(i * 3));
    }
    assert(!get(&q, &v));
    return 0;
}
