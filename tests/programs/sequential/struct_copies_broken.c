// CIRC: --property asserts
// Structs by value: nested, copied, passed, returned, in arrays.
//
// EXPECT: violated asserts
//
// The caller expects grow to change its own box, but it got a copy.
#include <assert.h>

struct point { int x, y; };
struct box { struct point min, max; int id; };

static struct box boxes[3] = {
    { { 0, 0 }, { 4, 3 }, 1 },
    { .min = { 1, 1 }, .max = { 2, 2 }, .id = 2 },
    { { -1, -1 }, { 1, 1 }, 3 },
};

static int area(struct box b)
{
    return (b.max.x - b.min.x) * (b.max.y - b.min.y);
}

static struct box grow(struct box b, int by)
{
    b.min.x -= by;
    b.min.y -= by;
    b.max.x += by;
    b.max.y += by;
    return b;
}

static void swap(struct box *a, struct box *b)
{
    struct box t = *a;

    *a = *b;
    *b = t;
}

int main(void)
{
    struct box g;

    assert(area(boxes[0]) == 12);
    g = grow(boxes[1], 2);
    assert(g.id == 2 && area(g) == 25);
    assert(area(boxes[1]) == 25);
    swap(&boxes[0], &boxes[2]);
    assert(boxes[0].id == 3 && boxes[2].id == 1);
    assert(area(boxes[0]) == 4);
    boxes[1] = boxes[2];
    boxes[2].max.x = 100;
    assert(boxes[1].max.x == 4);
    return 0;
}
