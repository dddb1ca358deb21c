// CIRC: --property asserts
// Function pointers: a dispatch table, a callback with context, a table entry replaced at run time.
//
// EXPECT: safe asserts
//
// Each call goes to the function that the table holds at that time.
#include <assert.h>

typedef int (*operation)(int, int);

struct visitor {
    void (*visit)(void *context, int value);
    void *context;
};

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int larger(int a, int b) { return a > b ? a : b; }

static operation table[] = { add, subtract, larger };

static void sum_up(void *context, int value)
{
    int *sum = context;

    *sum += value;
}

static void count_odd(void *context, int value)
{
    if (value & 1)
        ++*(int *)context;
}

static void for_each(const int *a, int n, struct visitor v)
{
    int i;

    for (i = 0; i < n; i++)
        v.visit(v.context, a[i]);
}

int main(void)
{
    static const int data[] = { 3, 4, 5, 7 };
    int sum = 0, odd = 0;
    struct visitor v = { sum_up, &sum };

    assert(table[0](7, 5) == 12);
    assert((*table[1])(7, 5) == 2);
    assert(table[2](7, 5) == 7);
    table[0] = larger;
    assert(table[0](7, 5) == 7);

    for_each(data, 4, v);
    v.visit = count_odd;
    v.context = &odd;
    for_each(data, 4, v);
    assert(sum == 19);
    assert(odd == 3);
    return 0;
}
