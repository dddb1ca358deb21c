// CIRC: --property asserts
// Static locals, shadowing and scopes: the same name means different objects.
//
// EXPECT: safe asserts
//
// `count` of next_id lives on between calls; inner declarations hide outer ones only in their block.
#include <assert.h>

static int count = 100;
static int level = 1;

static int next_id(void)
{
    static int count;

    return ++count;
}

static int next_even(void)
{
    static int count = -2;

    count += 2;
    return count;
}

static int scopes(int level)
{
    int result = level;

    {
        int level = result + 10;

        result = level;
        for (int level = 0; level < 3; level++)
            result += level;
    }
    return result * 100 + level;
}

int main(void)
{
    assert(next_id() == 1);
    assert(next_even() == 0);
    assert(next_id() == 2);
    assert(next_even() == 2);
    assert(count == 100);
    assert(scopes(5) == 1805);
    {
        level = 7;
    }
    assert(level == 7);
    count += next_id();
    assert(count == 103);
    return 0;
}
