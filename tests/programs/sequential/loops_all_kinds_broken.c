// CIRC: --property asserts
// while, do, for, break, continue and a labelled exit from a double loop.
//
// EXPECT: violated asserts
//
// continue in a do-while goes to the condition, not to the top: the body runs once more than expected.
#include <assert.h>

static int digits(unsigned v)
{
    int n = 0;

    do {
        n++;
        v /= 10;
    } while (v);
    return n;
}

static int gcd(int a, int b)
{
    while (b != 0) {
        int t = a % b;

        a = b;
        b = t;
    }
    return a;
}

static int skip_multiples(int limit)
{
    int sum = 0, i;

    for (i = 1; ; i++) {
        if (i > limit)
            break;
        if (i % 3 == 0)
            continue;
        sum += i;
    }
    return sum;
}

static int find_pair(int target, int *first, int *second)
{
    int i, j;

    for (i = 1; i < 10; i++)
        for (j = i; j < 10; j++)
            if (i * j == target)
                goto found;
    return 0;
found:
    *first = i;
    *second = j;
    return 1;
}

int main(void)
{
    int x = 0, y = 0, n = 0;

    assert(digits(0) == 1 && digits(9) == 1 && digits(12345) == 5);
    assert(gcd(48, 36) == 12 && gcd(17, 5) == 1);
    assert(skip_multiples(10) == 37);
    assert(find_pair(42, &x, &y) && x == 6 && y == 7);
    assert(!find_pair(11 * 11, &x, &y));
    do {
        n++;
        if (n < 3)
            continue;
    } while (n < 3);
    assert(n == 2);
    return 0;
}
