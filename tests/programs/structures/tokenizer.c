// CIRC: --property asserts
// A calculator: tokens, operator precedence by a value and an operator stack.
//
// EXPECT: safe asserts
//
// The expressions are fixed.
#include <assert.h>

static int values[8];
static char operators[8];
static int nv, no;

static int rank(char op)
{
    return op == '*' || op == '/' ? 2 : op == '+' || op == '-' ? 1 : 0;
}

static void apply(void)
{
    int b = values[--nv], a = values[--nv];

    switch (operators[--no]) {
    case '+': a += b; break;
    case '-': a -= b; break;
    case '*': a *= b; break;
    case '/': a = b ? a / b : 0; break;
    }
    values[nv++] = a;
}

static int evaluate(const char *s)
{
    nv = no = 0;
    for (; *s; s++) {
        if (*s >= '0' && *s <= '9') {
            int v = 0;

            while (*s >= '0' && *s <= '9')
                v = v * 10 + (*s++ - '0');
            s--;
            values[nv++] = v;
        } else if (*s == '(') {
            operators[no++] = '(';
        } else if (*s == ')') {
            while (operators[no - 1] != '(')
                apply();
            no--;
        } else if (rank(*s)) {
            while (no > 0 && rank(operators[no - 1]) >= rank(*s))
                apply();
            operators[no++] = *s;
        }
    }
    while (no > 0)
        apply();
    return values[0];
}

int main(void)
{
    assert(evaluate("2+3*4") == 14);
    assert(evaluate("(2+3)*4") == 20);
    assert(evaluate("100/7-2*(3-5)") == 18);
    assert(evaluate("7") == 7);
    return 0;
}
