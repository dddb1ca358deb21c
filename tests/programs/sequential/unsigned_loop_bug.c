// CIRC: --property asserts
// The classic: counting an unsigned index down to 0 with >= 0, cut short by a guard.
//
// EXPECT: violated asserts
//
// i-- at 0 gives 4294967295, which is >= 0: the loop goes on and the guard's assertion fails.
#include <assert.h>

#define N 4

static int values[N] = { 1, 2, 3, 4 };

static int sum_backwards(void)
{
    unsigned i;
    int sum = 0;

    for (i = N - 1; i >= 0; i--) {
        assert(i < N);
        sum += values[i];
    }
    return sum;
}

int main(void)
{
    assert(sum_backwards() == 10);
    return 0;
}
