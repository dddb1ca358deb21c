// CIRC: --property asserts
// Insertion sort of a small table and a binary search in it.
//
// EXPECT: safe asserts
//
// After sorting, neighbours are in order, the sum is unchanged, and each element is found.
#include <assert.h>

#define N 6

static int table[N] = { 9, -3, 14, 0, 9, -7 };

static void sort(int *a, int n)
{
    int i, j, v;

    for (i = 1; i < n; i++) {
        v = a[i];
        for (j = i; j > 0 && a[j - 1] > v; j--)
            a[j] = a[j - 1];
        a[j] = v;
    }
}

static int find(const int *a, int n, int key)
{
    int low = 0, high = n - 1, mid;

    while (low <= high) {
        mid = low + (high - low) / 2;
        if (a[mid] == key)
            return mid;
        if (a[mid] < key)
            low = mid + 1;
        else
            high = mid - 1;
    }
    return -1;
}

int main(void)
{
    int i, before = 0, after = 0;

    for (i = 0; i < N; i++)
        before += table[i];
    sort(table, N);
    for (i = 0; i < N; i++)
        after += table[i];
    assert(before == after);
    for (i = 1; i < N; i++)
        assert(table[i - 1] <= table[i]);
    assert(find(table, N, -7) == 0);
    assert(find(table, N, 14) == N - 1);
    assert(find(table, N, 5) == -1);
    return 0;
}
