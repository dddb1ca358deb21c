"""C as nobody writes it: constants, directives, declarations and statements that are wrong, or odd, each in its own way.

A case a line; in directives `|` stands for a line end. To be read with a located message or without, never by a mistake of ours.
"""

from __future__ import annotations

from collections.abc import Iterator

CONSTANTS = r"""
'\x'
'\u12'
'\U99999999'
'\xffffffffffffffffffff'
'\8'
'\9'
'\q'
'\400'
L'\xfffffffff'
u8'\xfff'
'ab\x'
"\x"[0]
"\u00"[0]
L"\U0000"[0]
"\N{DASH}"[0]
'\ud800'
u"\ud800"[0]
"\xD8\x00"[0]
'\U00110000'
0x
0b
0b2
0x.p
1e
1e+
0x1p
1.e5f5
1ull1
1u2
08.5
0xfffffffffffffffffffff
1.5e400L
1_000
1'000
'''
1''0
٣
x²
1²
0٣
1٣u
1.٣
'٣'
0x٣
"""
DIRECTIVES = r"""
#if '\x'|#endif
#if 'ab'|#endif
#if L'a'|#endif
#if u8'a'|#endif
#if '\8'|#endif
#if '\xzz'|#endif
#if '\'|#endif
#if ''|#endif
#if '\u1234'|#endif
#if '\777777'|#endif
#if '\²'|#endif
#if 1²|#endif
#if 0x|#endif
#if 1 << 99999999999|#endif
#if 1 << -1|#endif
#if -9223372036854775808 / -1|#endif
#if (-9223372036854775807-1) % -1|#endif
#if 1/0|#endif
#if 0 && 1/0|#endif
#if 1%0|#endif
#if 1.5|#endif
#if "a"|#endif
#if 99999999999999999999999999|#endif
#if 08|#endif
#if 0b12|#endif
#if defined|#endif
#if defined(|#endif
#if defined()|#endif
#if defined 1|#endif
#if ?:|#endif
#if 1?2|#endif
#if (|#endif
#if|#endif
#elif 1
#else
#endif
#if 1
#ifdef|#endif
#ifdef 1|#endif
#ifndef "a"|#endif
#line
#line 1²
#line ²
#line 99999999999999999999999
#line 0
#line -1
#line 3 x
#line 3 "a|b"
#line 3 "\"
# 5 "x" 99999999999999
#include
#include <
#include <a
#include ""
#include <>
#include "\0"
#include "/dev/zero"
#include "/dev/tty"
#include "."
#include "/"
#include __FILE__
#include_next
#include_next <stdio.h>
#define
#define 1
#define (a)
#define f(
#define f(a
#define f(a,
#define f(a,a) a
#define f(...,a) a
#define f(a...) a|int z = f(1);
#define f(__VA_ARGS__) 1
#define __VA_ARGS__ 1
#define defined 1
#define __LINE__ 5|#line 3
#undef
#undef 1
#undef __FILE__
#define f(a) #a|char*q=f("\);
#define f(a) # b
#define f(a,b) a##b|int f(,);int f(-,);
#define a ## b
#define a b ##
#define EMPTY|#define f(x) x##x##EMPTY|int f(1);
#define f(x) #x|char *q = f(');
#define f f f|int y=f;
#define f(x) f(x+1) f(x)|int q = f(f(f(f(1))));
#pragma
#pragma pack(
#pragma pack(3)|struct s{char a;int b;}z;
#pragma pack(push,99999999999999999999)|struct s{char a;int b;}z;
#pragma pack(pop)|#pragma pack(pop)
#pragma once
#pragma pack(-1)|struct s{char a;int b;}z;
#pragma pack(²)|struct s{char a;int b;}z;
_Pragma(
_Pragma(1)
_Pragma("\")
#error
#warning x
#nonsense
#
#\|\|
#if 0|#bogus 'x|#endif
#if 0|"unterminated|#endif
#ident
#assert a(b)
#import "x"
#embed "/dev/zero"
#if __has_include(|#endif
#if __has_include()|#endif
#if __has_include(<)|#endif
#if __has_include("/dev/tty")|#endif
#if __has_embed("x")|#endif
#if __has_attribute|#endif
#if __has_attribute(|#endif
#if __COUNTER__ == __COUNTER__|#endif
#define f(x) x|int q = f(
#define f(x) x|f(|#undef f|1)
int q = __VA_OPT__(1);
#define f(...) __VA_OPT__(|int q=f(1);
??=define Q 1|int q = Q;
int q??(3??);
int q = 1; // what??/|int r;
%:define Q 1|int q = Q;
"""
DECLARATIONS = r"""
enum e : float {A}; enum e z;
enum e {}; enum e z;
enum e {A,,};
enum e {A=A};
enum e {A=sizeof(enum e)};
enum e : struct s {A};
struct s {}; struct s z; int q[sizeof(z)];
struct s { int a[0]; } z[0];
int z[0][0];
int z[sizeof(z)];
int z = z;
int *z = &*&z;
int z[1] = {{{{{1}}}}};
int z = {};
int z = {1,2,3};
int z[] = {};
int z[];
char z[2] = "abc";
char z[] = {"abc"};
char *z[] = {"abc", 5, &z};
char z[3] = "\0\0\0\0";
int z[2][] = {{1}};
struct s { struct s *p; } z = {&z};
struct s { int a; } z = {.b = 1};
struct s { int a; } z = {.a.b = 1};
struct s { int a; } z = {[0] = 1};
struct s { int a[3]; } z = {.a[5] = 1};
struct s { union { int a; struct { int b; }; }; } z = {.b = 1};
union u { int a; double b; } z = {1, 2};
struct s; struct s z;
struct s; struct s *z = (void*)0; int q = sizeof(*z);
struct s { struct t *p; }; struct t { struct s s; } z;
struct s { int (*f)(struct s); } z;
struct s { int f(int); } z;
typedef int t; t t;
typedef t t; t z;
typedef struct z z; z z;
int f(int f) { return f; } int z = sizeof(f);
int f(a, b) int a; { return a; }
int f(a) int b; { return a; }
int f(void) { return f; }
int f(void) { f = 3; }
void f(void) { return 3; }
int f(int, int) { return 1; }
int f(int a, int a) { return a; }
int f(void), f(int), f();
int x(void);
extern int z = 3;
static extern int z;
register int z;
auto z = 3;
int static const volatile unsigned long z;
long long long z;
short long z;
unsigned float z;
signed unsigned z;
int int z;
_Atomic _Atomic int z;
_Atomic(int[3]) z;
_Atomic(void) z;
_Thread_local z;
_Noreturn int z;
inline int z;
_Alignas(int) _Alignas(8) int z;
_Generic(1) z;
int z = _Generic(1, int: 1, int: 2);
int z = _Generic(1, float: 1);
int z = _Generic(x, default: 1, default: 2);
int z = sizeof(int[n]);
int z = sizeof(void);
int z = sizeof(struct nothing);
int z = sizeof f; int f(void);
int z = _Alignof(void);
int z = __alignof__(struct nothing);
int z = __builtin_offsetof(struct s, a);
struct s{int a;}; int z = __builtin_offsetof(struct s, b);
struct s{int a:3;}; int z = __builtin_offsetof(struct s, a);
struct s{int a[3];}; int z = __builtin_offsetof(struct s, a[99999999999999]);
int z = __builtin_offsetof(int, a);
int z = __builtin_types_compatible_p(int, struct nothing);
int z = __builtin_choose_expr(x, 1, 2);
int z = __builtin_constant_p();
int z = (int){3};
int z = ({ 3; });
int *z = (int[]){1,2,3};
int z = (struct nothing){1};
typeof(z) z;
typeof(nothing) z;
typeof(int[]) z = {1,2};
__typeof__(({int q; q;})) z;
__auto_type z = 3;
int (*z)[] = 0; int (*q)[3] = z;
int (*(*(*z)(void))[3])(int);
int *(*z[3])[4], (*(*zz)())();
void (*z)(void) = (void(*)(void))0xffffffffffffffff;
int z = (int)&z;
int z = &z - &z;
int z = &z < (int*)5;
int z = 1 ? : 2;
int z = 5, z = 6;
int z; float z;
int z; int z(void);
static int z; int z;
int z; static int z;
extern int z[3]; int z[4];
struct s {int a;}; struct s {int a;};
enum s {A}; struct s {int a;};
label: int z;
return;
;;;;
{}
if (1) {}
asm("nop");
asm(5);
asm("x" : : : : :);
__asm__ volatile goto ("" :::: l);
int z asm("y"); int y;
int z __attribute__((alias("q")));
int z __attribute__((section(5)));
int z __attribute__(());
int z __attribute__((a(b(c(d(((((")")))))))));
int z __attribute__((nonsense, , ,));
int z __attribute__((mode(XX)));
int z __attribute__((mode()));
[[nodiscard]] int z;
[[a::b(c)]] [[]] int z;
[[ int z;
_Static_assert(sizeof(int) == 4);
_Static_assert();
_Static_assert(0, L"x");
__extension__ __extension__ int z;
#pragma omp parallel
_Pragma("omp atomic") int z;
@interface X
`
$ int z;
int $z, z$, $;
int été, 变量;
int \u00e9t;
int \u0030z;
int z\u;
void main(void) {}
int main(int a, char **b, char **c, int d) {}
float main;
main() {}
struct main { int x; };
"""
STATEMENTS = r"""
x = ;
x++ ++;
++x++;
&x = 3;
3 = x;
x + 1 = 3;
(x) = 3; (((x)))++;
*x = 3;
x[0] = 3;
0[q] = 3; 0[a] = x;
a = 0;
a++;
g = 3;
g = g; *p = g; g = *p;
p->f = 3; p.f = 3;
g->f = 3;
x.f = 3;
f.x = 3;
f = 3;
f();
f(1,2,3);
x();
x(3)(4);
v() + 1;
x = v();
(void)v(); (void)(void)x;
(struct s)x;
(int)g;
(double)p;
(int[3])a;
sizeof(x = 3);
sizeof(struct {int q;});
x = sizeof v();
x = *v;
x = **f;
x = &f == f;
x = !g;
if (g) x = 1;
while (v()) ;
for (;;) ; x = 1;
for (int i; i; i) int j;
for (struct q {int z;} i = {1}; i.z; ) ;
do x = 1; while
do ; while (0) x = 1;
switch (x) { case 1: case 1: x = 2; }
switch (x) { case 1 ... 0: x = 2; }
switch (x) { case 1 ... 99999999999: x = 2; }
switch (x) { case 0 ... 2147483647: x = 2; }
switch (x) { default: default: ; }
switch (x) { case y: ; }
switch (x) x = 1;
switch (x) { int z = 1; case 1: x = z; }
switch (d) { case 1: ; }
switch (p) { case 0: ; }
switch (x) { case 99999999999999999999999: x = 1; }
case 1: x = 1;
default: x = 1;
break;
continue;
goto nowhere;
l: l: goto l;
l: goto l;
goto *p;
goto *&&l; l: ;
void *z = &&l; l: goto *z;
return 5;
x = ({});
x = ({ int z; });
x = ({ return; 3; });
x = ({ l: goto l; 3; });
int z[x]; z[0] = 1; x = sizeof z;
int z[x = 3];
int z[];
int z[-1];
extern int z[]; x = z[0];
static int z = x;
int z = z;
struct s z = {x, &z}; x = z.n->n->n->f;
struct q { int a[x]; } z;
typedef int t[x]; t z; x = sizeof(t);
int z(int); x = z(3);
auto int z(int b) { return b + x; } x = z(1);
int z(void) { return x; } x = z();
struct s *z = &(struct s){1, 0}; x = z->f;
x = (1, 2, 3);
x = 1 ? y : g;
x = 1 ? v() : 3;
x = p ? p : 3;
x = p + p;
x = p * 3;
x = -p;
x = ~d;
x = d % 3;
x = d << 1;
x <<= 99; x >>= -1;
x = x << 2147483648;
x = 1/0; x = x/0; x %= 0;
x = (-2147483647-1)/-1;
x = __builtin_expect(x, 1);
x = __builtin_nonsense(x);
x = __builtin_va_arg(x, int);
x = __sync_fetch_and_add(x, 1);
x = __sync_fetch_and_add();
x = __atomic_load_n(&x, 99);
x = __atomic_load_n(x, 0);
x = __atomic_load_n(&g, 0);
x = __atomic_fetch_add(&d, 1, 0);
__atomic_store(&x, 3, 0);
atomic { atomic { x = 1; } }
atomic { return; }
atomic { goto l; } l: ;
atomic { for (;;) ; }
atomic x = 1;
atomic
assert();
assert(x, y);
assume(x;
circ_critical { x = 1; }
__VERIFIER_assume(g);
__VERIFIER_atomic_begin();
__VERIFIER_atomic_end();
__VERIFIER_atomic_begin(); __VERIFIER_atomic_begin(); x=1; __VERIFIER_atomic_end();
pthread_create(0, 0, 0, 0);
pthread_create(&x, 0, x, 0);
pthread_create();
pthread_mutex_lock(x);
pthread_mutex_lock();
pthread_mutex_lock(&pthread_mutex_lock);
memcpy(&x, &y, -1);
memcpy(&x, &y, 99999999999);
memset(a, 0, sizeof a * 1000000);
memcpy(p, &g, sizeof *p);
memcpy();
printf("%n", &x); printf("%"); printf("%99999999999999d", x); printf(x); printf("%*n", 1, &x); printf();
scanf("%[", &x); scanf("%99999999999d", &x); scanf("%*", &x); scanf("%d");
longjmp(x, 1); setjmp(x);
signal(1, w);
x = alloca(-1); x = *(int*)__builtin_alloca(x);
malloc(-1); free(x); free(&x); free(free);
free(q); *q = 1; free(q);
q = malloc(99999999999999); q[5] = 1;
qsort(a, 3, 4, w);
qsort(a, 3, 4, 0);
exit(x, y); abort(3);
va_list l; va_start(l, x);
x = L"abc"[1] + "a" "b" L"c"[0];
x = "a"[9999999999];
x = a[99999999999]; x = a[-1];
x = (&a)[5][6];
x = *(a + 3); x = *(&x + 1000000);
q = &a[3]; *q = 1; q = (int*)((char*)&g + 1); *q = 1;
*(int*)0 = 1;
*(volatile int*)0xffffffffffffffff = 1;
*(int*)x = 1;
((void(*)(void))0)();
((void(*)(void))x)();
((int(*)(int))&x)(3);
(*(void(**)(void))&p)();
w();
w(1);
x = (int)w; ((void(*)(void))x)();
"""
LONG = ("1" * 4301, "0x" + "f" * 5000, "1e" + "9" * 3000, "0x1p" + "9" * 3000, "'\\x" + "f" * 5000 + "'")
"""Constants that no type holds."""
_THREAD = "\nint x;\n__attribute__((circ_thread)) void w(void) { x = x + 1; }\n"
_AROUND = ("struct s { int f; struct s *n; } g, *p; int x, y, *q, a[3]; double d; int f(int); void v(void); char *s;\n"
           "__attribute__((circ_thread)) void w(void) { %s }\n")


def programs() -> Iterator[str]:
    """A program around each case."""
    for constant in (*CONSTANTS.splitlines()[1:], *LONG):
        yield _AROUND % f"x = {constant};"
    for directive in DIRECTIVES.splitlines()[1:]:
        yield directive.replace("|", "\n") + _THREAD
    for declaration in DECLARATIONS.splitlines()[1:]:
        yield declaration + _THREAD
    for statement in STATEMENTS.splitlines()[1:]:
        yield _AROUND % statement


def calls(names: list[str]) -> Iterator[str]:
    """Functions that are known by their names, called with arguments that they do not take, declared and defined as something else."""
    for name in names:
        for given in ("", "x", "g", "g, g, g, g, g", "&x, &x, &x, &x, &x", "w, w, w, w, w"):
            yield _AROUND % f"x = 1; {name}({given});"
        yield f"struct q {{ int f; }} h; struct q {name}(struct q, ...);" + _AROUND % f"x = 1; h = {name}(h);"
        yield f"struct q {{ int f; }} h; double {name}(double d, struct q s) {{ return d; }}" + _AROUND % f"x = {name}(1.0, h);"
