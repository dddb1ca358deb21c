// The expressions in a type of variable length are evaluated wherever the type is: casts, declarations, typedefs, typeof,
// compound literals, parameters, va_arg, sizeof of an operand of such a type; nowhere in prototypes, _Alignof or _Generic.
#include <stdarg.h>
unsigned long checksum;
int x, g[8][8];
struct s { int a, b[4]; };
typedef int triple[3];
static void note(void) { checksum = checksum * 31 + x; x = 0; }
static void use(int n, ...) { (void)n; }
static void whole(int n, int a[n][x++ + 3]) { (void)a; }
static void first(int n, int a[x++ + 3]) { (void)a; }
static void behind(int n, int (*a)[(x += n, 3)]) { (void)a; }
static void old(a, b) int (*a)[x++ + 3]; int b; { (void)a; (void)b; }
static void of(int n, typeof(int (*)[x++ + 3]) a) { (void)a; }
static void variable(int n, ...)
{
    va_list list[2];
    va_start(list[0], n);
    void *p = va_arg(list[x++ * 0], int (*)[x++ + 3]);
    va_end(list[0]);
    (void)p;
}

static void casts(void)
{
    int (*p)[8] = (int (*)[x++ + 8])g; note();
    (void)(int (*)[x++ + 8])g; note();
    use(1, (int (*)[(x++, 8)])g); note();
    use(((int (*)[x++ + 8])g)[0][1]); note();
    void *q = (int (*(*)[x++ + 2])[x++ + 8])g; note();
    q = x ? (int (*)[x++ + 8])g : (int (*)[(x += 5) + 8])g; note();
    (void)p; (void)q;
}

static void declarations(void)
{
    int (*p)[x++ + 3] = 0; note();
    int (*a[2])[x++ + 2]; note();
    int (*(*f)(void))[x++ + 3] = 0; note();
    int (*h)(int, int b[x++ + 3]) = 0; note();
    int k(int b[x++ + 3]); note();
    typedef int (*pointer)[x++ + 3]; note();
    pointer one, two; note();
    typedef int (*several[2])[x++ + 3]; note();
    for (int i = 0; i < 3; i++) { int (*again)[x++ + 3] = 0; (void)again; } note();
    (void)p; (void)a; (void)f; (void)h; (void)one; (void)two;
}

static void sizes(void)
{
    const int four = 4;
    int a[3][x + 3], (*p)[x + 3] = 0, c[3][four];
    use(sizeof a[x++]); note();
    use(sizeof *(x++, p)); note();
    use(sizeof c[x++]); note();
    use(sizeof a[0][x++]); note();
    use(sizeof(*(int (*)[x++ + 3])g)); note();
    use(_Alignof(int[x++ + 3])); note();
    use(__builtin_offsetof(struct s, b[x++])); note();
    x = sizeof(int[x++ + 3]); note();
    int n = 2;
    typedef int pair[n];
    n = 5;
    x = sizeof(pair) + sizeof(pair[2]); note();
    x = __builtin_offsetof(struct s, b[n - 3]); note();
    x = n == 5 ? (int)sizeof(int[x++ + 3]) : 0; note();
}

static void operands(void)
{
    int a[3][x + 3], b[x + 3];
    typeof(a[x++]) *c = 0; note();
    typeof(int[x++ + 3]) *d = 0; note();
    typeof(int (*)[x++ + 3]) e; note();
    typeof((int (*)[x++ + 3])g) f; note();
    typeof((x++, &b)) h; note();
    typeof(x++) i = 0; note();
    use(sizeof(typeof(int[x++ + 3]))); note();
    int (**j)[3] = &(int (*)[x++ + 3]){ 0 }; note();
    x = _Generic(x++, int: 1, default: 2); note();
    (void)b; (void)c; (void)d; (void)e; (void)f; (void)h; (void)i; (void)j;
}

int main(void)
{
    casts();
    declarations();
    sizes();
    operands();
    whole(1, (void *)g); note();
    first(1, (void *)g); note();
    behind(2, (void *)g); note();
    old((void *)g, 1); note();
    of(1, (void *)g); note();
    variable(1, (void *)g); note();
    return 0;
}
