// The value of a range of elements is evaluated once; one that a later initialiser replaces is not evaluated.
unsigned long checksum;
int x;
struct s { int a, b[4]; } whole = { 3 }, *p = &whole;
static void note(int more) { checksum = (checksum * 31 + x) * 31 + more; x = 0; }

int main(void)
{
    int a[4] = { [0 ... 3] = x++ + 2 }; note(a[0] * 8 + a[3]);
    struct s t = { .b = { [1 ... 2] = x++ } }; note(t.b[1] + t.b[2]);
    struct s u[3] = { [0 ... 2] = { .a = x++ } }; note(u[0].a * 8 + u[2].a);
    struct s v[3] = { [0 ... 2] = (x++, *p) }; note(v[0].a * 8 + v[2].a);
    int large[100] = { [0 ... 99] = x++ + 1 }; note(large[99]);
    int *l = (int[]){ [0 ... 3] = x++ }; note(l[3]);
    int c[4] = { [1] = x++, [1] = 2 }; note(c[1]);
    struct s d = { .b = { x++, 2 }, .b[0] = 5 }; note(d.b[0] * 8 + d.b[1]);
    struct s e = { .b = { x++ }, .b = { 5 } }; note(e.b[0] * 8 + e.b[1]);
    struct s f = { .b[0] = 7, .b[1] = 8, .a = x++ }; note(f.b[0] * 8 + f.b[1]);
    return 0;
}
