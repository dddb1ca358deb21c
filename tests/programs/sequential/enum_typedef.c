// CIRC: --property asserts
// Enums with explicit values, typedefs of structs, arrays and functions, sizeof in constant expressions.
//
// EXPECT: safe asserts
//
// Enumerators count on from the last value; typedef names are only names.
#include <assert.h>

typedef enum { LOW = -2, MID, ZERO, HIGH = 1 << 4, HIGHER } level_t;
typedef int row_t[3];
typedef struct matrix { row_t row[2]; } matrix_t;
typedef int combine_fn(int, int);

enum { CELLS = sizeof(matrix_t) / sizeof(int), MASK = (1u << CELLS) - 1 };

static combine_fn multiply;

static int multiply(int a, int b)
{
    return a * b;
}

static int fold(const matrix_t *m, combine_fn *f, int start)
{
    int i, j;

    for (i = 0; i < 2; i++)
        for (j = 0; j < 3; j++)
            start = f(start, m->row[i][j]);
    return start;
}

int main(void)
{
    matrix_t m = { { { 1, 2, 3 }, { 4, 5 } } };
    level_t l = MID;

    assert(l == -1 && ZERO == 0 && HIGHER == 17);
    assert(CELLS == 6 && MASK == 63);
    assert(fold(&m, multiply, 1) == 0);
    m.row[1][2] = 6;
    assert(fold(&m, multiply, 1) == 720);
    l = (level_t)(l + 1);
    assert(l == ZERO);
    return 0;
}
