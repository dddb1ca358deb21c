// CIRC: --property asserts
// Two-dimensional arrays, as parameters and as globals with partial initialisers.
//
// EXPECT: safe asserts
//
// Elements that no initialiser names are 0.
#include <assert.h>

#define R 3
#define C 4

static int grid[R][C] = { { 1, 2 }, { [2] = 5 }, [2][3] = 9 };
static int turned[C][R];

static void transpose(int to[C][R], int from[R][C])
{
    int i, j;

    for (i = 0; i < R; i++)
        for (j = 0; j < C; j++)
            to[j][i] = from[i][j];
}

static int trace(int m[R][C])
{
    int i, t = 0;

    for (i = 0; i < R && i < C; i++)
        t += m[i][i];
    return t;
}

int main(void)
{
    int *flat = &grid[0][0];

    assert(grid[0][1] == 2 && grid[0][2] == 0 && grid[1][2] == 5 && grid[2][3] == 9);
    assert(trace(grid) == 1);
    grid[1][1] = 20;
    grid[2][2] = 300;
    assert(trace(grid) == 321);
    transpose(turned, grid);
    assert(turned[3][2] == 9 && turned[2][1] == 5 && turned[1][0] == 2);
    assert(flat[6] == 5);
    assert(sizeof grid == R * C * sizeof(int) && sizeof grid[0] / sizeof grid[0][0] == C);
    return 0;
}
