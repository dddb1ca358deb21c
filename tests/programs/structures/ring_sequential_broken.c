// CIRC: --property asserts
// A byte queue whose free-running 8-bit indices wrap; the size is a power of two.
//
// EXPECT: violated asserts
//
// The comparison of indices is wrong after the head wrapped: a full queue looks empty.
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
    if (p->head <= p->tail)
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
