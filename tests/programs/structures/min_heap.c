// CIRC: --property asserts
// A binary heap of deadlines in an array: insert and take the smallest.
//
// EXPECT: safe asserts
//
// Values come out in ascending order.
#include <assert.h>

#define CAPACITY 7

static int heap[CAPACITY];
static int used;

static void exchange(int i, int j)
{
    int t = heap[i];

    heap[i] = heap[j];
    heap[j] = t;
}

static int insert(int v)
{
    int i = used;

    if (used == CAPACITY)
        return 0;
    heap[used++] = v;
    while (i > 0 && heap[(i - 1) / 2] > heap[i]) {
        exchange(i, (i - 1) / 2);
        i = (i - 1) / 2;
    }
    return 1;
}

static int take(void)
{
    int top = heap[0], i = 0, child;

    heap[0] = heap[--used];
    for (;;) {
        child = 2 * i + 1;
        if (child >= used)
            break;
        if (child + 1 < used && heap[child + 1] < heap[child])
            child++;
        if (heap[i] <= heap[child])
            break;
        exchange(i, child);
        i = child;
    }
    return top;
}

int main(void)
{
    static const int values[] = { 40, 10, 70, 20, 60, 10, 30 };
    int i, last, v;

    for (i = 0; i < 7; i++)
        assert(insert(values[i]));
    assert(!insert(1));
    last = take();
    assert(last == 10);
    while (used > 0) {
        v = take();
        assert(v >= last);
        last = v;
    }
    assert(last == 70);
    return 0;
}
