"""What the dialect pass makes of GNU C, C23 and nesC, seen in the AST."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from pycparser import c_ast, c_generator

from frontend.program import FrontendError
from frontend.text.parse import ParsedFile, SourceOptions, parse

GCC = shutil.which("gcc")
Parse = Callable[..., ParsedFile]


@pytest.fixture
def parsed(tmp_path: Path) -> Parse:
    def of(text: str, suffix: str = ".i", model: str = "lp64") -> ParsedFile:
        path = tmp_path / f"t{suffix}"
        path.write_text(text)
        return parse(str(path), SourceOptions(data_model=model))

    return of


def body(p: ParsedFile, name: str = "f") -> list[c_ast.Node]:
    """The statements of a function."""
    function = next(n for n in p.ast.ext if isinstance(n, c_ast.FuncDef) and n.decl.name == name)
    return list(function.body.block_items or [])


def text(node: c_ast.Node) -> str:
    return str(c_generator.CGenerator().visit(node))


def names(p: ParsedFile, name: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(a.name, a.args) for a in p.attributes.get(name, ())]


# What gcc takes as it is (std=gnu2x), and so do we.
GNU = {
    "attributes everywhere": """
        typedef int aligned_int __attribute__((aligned(16)));
        typedef struct { char c; int i; } __attribute__((packed)) packed_t;
        struct __attribute__((__packed__)) p2 { char c; int i __attribute__((aligned(2))), j; } v __attribute__((unused));
        union __attribute__((aligned (8))) u { int a; } __attribute__((packed));
        enum e { A __attribute__((deprecated)), B = 3 } __attribute__((packed));
        static __attribute__((noinline)) int f(int x __attribute__((unused)), int * __attribute__((unused)) y);
        int __attribute__((const)) *g(void) __attribute__((noreturn)), h __attribute__((section("s")));
        void (*fp)(int) __attribute__((noreturn));
        extern int k(const char *, ...) __asm__("k_name") __attribute__((format(printf, 1, 2)));
        static int f(int x, int *y) { int z __attribute__((aligned(8))) = 0; return x + *y + z; }
        __attribute__((noreturn)) void die(void);
        int a, __attribute__((aligned(8))) b, *c;
        struct bits { int x : 3 __attribute__((packed)); unsigned : 0; int y : 2; };
        """,
    "attributes in statements": """
        int f(int x) { switch (x) { case 1: x = 2; __attribute__((fallthrough)); case 2: x++; break; }
        out: __attribute__((unused)); if (x) goto out; __attribute__((unused)) int y = 1; return y; }
        """,
    "c23 attributes": """
        [[nodiscard]] int f(void); [[maybe_unused]] static int x [[gnu::aligned(8)]];
        struct [[gnu::packed]] s { char c; int i; };
        int g(int a[3]) { switch (a[0]) { case 1: a[1] = 2; [[fallthrough]]; default: break; } return a[a[0]]; }
        """,
    "words": """
        __extension__ typedef long long ll; static __inline__ __const int *f(char *__restrict a, __volatile__ int *b)
        { return (const int *)b + *a; } __signed__ char c; __thread int t; _Thread_local int t2; extern __thread int e;
        __inline int g(__const char *const *__restrict__ p) { return __extension__ (**p); }
        _Noreturn void stop(void); int h(void) { return __alignof__(int) + __alignof__ (c) + _Alignof(long); }
        """,
    "typeof": """
        int x; __typeof__(x) y; typeof(int *) z; __typeof(x + 1L) w; typeof(typeof(x) *) v;
        int f(void) { __auto_type q = x; typeof(q) r = q; return r + ({ typeof(x) _a = x; _a > 0 ? _a : -_a; }); }
        """,
    "numbers": "int a = 0b101, b = 0x1FuL, c = 017, d = 10'000; double e = 1.5e3, g = 0x1p-3, h = .5f; _Float128 q = 1.0f128;",
    "floats": "_Float32 a; _Float64 b; _Float128 c; _Float32x d; _Float64x e; _Complex double z; __complex__ float w;",
    "int128": "__int128 a; unsigned __int128 b; __int128_t c; __uint128_t d;",
    "statement expressions": """
        int f(int x) { int m = ({ int t = x; if (t < 0) t = -t; t; }); return ({ goto l; l: 0; }) + m; }
        """,
    "case ranges": "int f(int c) { switch (c) { case 'a' ... 'z': return 1; "
                   "case 1 ? 2 : 3 ... 9: return 2; default: return 0; } }",
    "elvis": "int g(int); int f(int a, int b) { return g(a) ?: b ?: 1 ? 2 : 3; }",
    "designators": """
        struct s { int x, y[4]; }; struct s a = { x: 1, y: { 1, 2 } }; struct s b = { .y[1] = 2, .x = 3 };
        int t[10] = { [0 ... 4] = 1, [5] = 2, 3 }; struct s c[2] = { [0].y[1 ... 2] = 7, [1] = { x: 1 } };
        int f(int q) { struct s d = (struct s){ x: q, y: { q ? 1 : 2 } }; if (q) { lab: q--; goto lab; } return d.x; }
        """,
    "empty and flexible": "struct empty { }; struct z { int n; int a[0]; }; struct fl { int n; int a[]; }; union eu { };",
    "local labels": "int f(int x) { __label__ out, in; if (x) goto out; in: x = 1; out: return x; }",
    "asm": """
        register int sp_ __asm__("rsp"); int f(int x, int *p) { int y; asm("nop"); __asm__ __volatile__ ("" ::: "memory");
        asm volatile ("mov %1, %0" : "=r" (y) : "r" (x));
        __asm("add %[b], %[a]" : [a] "+r" (y), "=m" (*p) : [b] "r" (x + 1) : "cc");
        if (x) asm("nop"); else asm("pause"); return y; }
        """,
    "static asserts": "_Static_assert(1, \"x\"); _Static_assert(1); struct s { int a; _Static_assert(1, \"y\"); }; "
                      "void f(void) { static_assert(sizeof(int) == 4); }",
    "generic": "int f(int x) { return _Generic(x, int: 1, long: 2, char *: 3, default: 0); }",
    "va_arg": """
        int f(int n, ...) { __builtin_va_list ap; __builtin_va_start(ap, n); int *x = __builtin_va_arg(ap, int *);
        int y = __builtin_va_arg(ap, int); __builtin_va_end(ap); return *x + y; }
        """,
    "builtins": """
        struct s { int a; struct { int b[3]; } c; }; unsigned long f(int x) { if (__builtin_expect(!!(x), 0)) return 1;
        return __builtin_offsetof(struct s, c.b[1]) + __builtin_types_compatible_p(int, typeof(x)) + __builtin_popcount(x)
        + __builtin_choose_expr(1, x, 2) + (__builtin_constant_p(x) ? 1 : 0); }
        """,
    "atomics": """
        _Atomic int a; _Atomic(int) b; _Atomic(int *) c; int *_Atomic d; const _Atomic(int) e = 1; struct { _Atomic int f; } g;
        typedef _Atomic(unsigned long) h; h i, *j; int f(_Atomic int *p) { return __atomic_load_n(p, 5)
        + __sync_fetch_and_add(&a, 1) + __atomic_compare_exchange_n(p, &(int){0}, 1, 0, 5, 5) + (b = 2) + b++; }
        """,
    "old style functions": "int f(a, b) int a; char *b; { return a + *b; } g() { return f(1, \"x\"); } main() { return g(); }",
    "types as names": """
        typedef int T; int f(int (T)); struct T { T T; }; int g(T T) { T = 1; { typedef char T; T x = 1; return x; } }
        T (*h)(T), i; T j(T), (k); void l(void) { T T = 1; T++; } struct s { T a; enum { P, Q } e; } m;
        """,
    "declarators": """
        int (*(*a[3])(void))[5]; void (*signal(int, void (*)(int)))(int); char *const *volatile b; int c[2][3], (*d)[3] = c;
        int e(int n, int v[static n], int w[*]); int (f)(void), g(int [], int (*)(int)); extern int h[]; long unsigned int long i;
        """,
    "expressions": """
        struct s { int x; struct s *n; } *q; int f(int a, int b) { int v[3] = {0}; a = b = 1, a += b <<= 2; a ^= ~b; v[a]++;
        --*&v[1]; q->n->x = (*q).x; a = sizeof a + sizeof(int) + sizeof(struct s) + sizeof (int){1};
        a = (char)-1 < 0 ? 'x' : L'y';
        return a && b || !a & b, (a) && (b), *(int *)&a, "a" "b" L"c" == 0, ((struct s){1, 0}).x, -a * -b % 3 >> 1; }
        """,
    "statements": """
        int f(int n) { int i; for (;;) break; for (int j = 0, k = 1; j < n; j++, k *= 2) continue; do n--; while (n > 3);
        while (n) { if (n & 1) if (n & 2) n = 0; else n = 1; else { ; } } switch (n) case 3: n = 2;
        switch (n) { int u; case 1: case 2: u = 1; default: { u = 3; break; } case 4:; } goto end; { end: ; } return n; }
        """,
    "pragmas": "#pragma once\nint a;\n#pragma GCC diagnostic push\nint f(void) {\n#pragma unroll\nreturn a; }\n"
               "_Pragma(\"once\") int b;",
    "dollar names": "int FramerM$gTxState; int Main$StdControl$init(void) { return FramerM$gTxState; } int x$;",
    "own bool": "typedef unsigned char bool; enum { false, true }; bool f(bool b) { return b ? true : false; }",
    "fixed enums": "enum e : unsigned char { A, B }; enum e x = A; struct s { enum e y : 2; };",
    "mode": "typedef int word_ __attribute__((__mode__(__word__))); typedef unsigned int b8 __attribute__((mode(QI)));",
    "strings": r'''char *s = "a\"b\\" "\x41\n\0" "?"; char c = '\'', d = '"', e = '\\', g = '\x7f', h = '\123'; int m = 'ab';''',
    "compound literals": "struct s { int a, b; }; int f(struct s *p) { "
                         "*p = (struct s){ .b = 1 }; return ((int[]){1, 2, 3})[1]; }",
    "nested records": "struct o { struct { int a; union { int b; char c; }; } d; struct i { int e; } *f; } g; struct i h;",
    "inline and extern": "extern inline __attribute__((gnu_inline)) int f(void) { return 1; } "
                         "static inline int g(void) { return f(); }",
    "commas": "int a = 1, *b = &a, c[2] = { 1, 2, }, d(int), (*e)(int) = d; enum { X, Y, };",
}
_OLD_STYLE = frozenset({"old style functions", "own bool"})


@pytest.mark.parametrize("name", GNU)
def test_parses_and_is_what_gcc_takes(name: str, parsed: Parse, tmp_path: Path) -> None:
    p = parsed(GNU[name])
    assert p.ast.ext
    assert "__circ" not in str(p.assumptions)
    if GCC is not None:
        path = tmp_path / "g.c"
        path.write_text(GNU[name])
        standard = "gnu89" if name in _OLD_STYLE else "gnu2x"
        done = subprocess.run([GCC, "-fsyntax-only", "-w", f"-std={standard}", str(path)], capture_output=True, text=True)
        fixed = "fixed" in name or "10'000" in GNU[name]  # gcc 12 does not know these yet
        assert done.returncode == 0 or fixed, done.stderr


# --------------------------------------------------------------------------------------------------- how it appears
def test_atomic_marks_the_statement(parsed: Parse) -> None:
    p = parsed("int x; void f(void) { atomic { x = 1; if (x) return; } if (x) atomic x++; else atomic { } l: atomic { } }")
    first, branch, label = body(p)
    assert isinstance(first, c_ast.AttributedStatement)
    assert [(a.namespace, a.name) for a in first.attributes[0].attributes] == [("circ", "atomic")]
    assert isinstance(first.stmt, c_ast.Compound)
    assert (first.coord.line, first.coord.column) == (1, 23)
    assert isinstance(branch.iftrue, c_ast.AttributedStatement)
    assert isinstance(branch.iftrue.stmt, c_ast.UnaryOp)
    assert isinstance(branch.iffalse, c_ast.AttributedStatement)
    assert isinstance(label.stmt, c_ast.AttributedStatement)


def test_atomic_may_be_a_name(parsed: Parse) -> None:
    p = parsed("typedef int atomic; struct atomic { int atomic; }; "
               "void f(void) { atomic x; x = 1; { struct atomic a; a.atomic = x; } }")
    assert isinstance(body(p)[0], c_ast.Decl)
    q = parsed("int atomic; void f(void) { atomic = 1; atomic++; }")
    assert isinstance(body(q)[0], c_ast.Assignment)


def test_critical(parsed: Parse) -> None:
    (only,) = body(parsed("void f(void) { circ_critical { ; } }"))
    assert only.attributes[0].attributes[0].name == "critical"


def test_asm_becomes_a_call_that_may_write_its_outputs(parsed: Parse) -> None:
    p = parsed('int g; void f(int x) { __asm volatile ("sei" ::); '
               'asm("a" "b" : "=r" (g), [o] "+m" (x) : "r" (x + 1), "i"(2) : "cc"); }')
    assert [text(s) for s in body(p)] == ['__circ_asm("sei")', '__circ_asm("ab", &g, &x, __circ_inputs(x + 1, 2))']
    assert p.assumptions == ()


def test_asm_at_file_level_is_an_assumption(parsed: Parse) -> None:
    p = parsed('asm(".globl x"); int y asm("z"); int f(void) asm("g");\n#pragma omp parallel\nint q;')
    assert [(why.split(":")[0], str(where).split("/")[-1]) for why, where in p.assumptions] == [
        ("assembly at file level changes nothing", "t.i:1:1"),
        ("#pragma omp parallel has no effect", "t.i:2:1"),
    ]


def test_elvis_ranges_and_post(parsed: Parse) -> None:
    p = parsed("int f(int a) { switch (a) { case 1 ... 5: return a ?: 3; } if (post g()) post h(); return a ? post g() : 0; }")
    switch, branch, last = body(p)
    case = switch.stmt.block_items[0]
    assert text(case.expr) == "__circ_range(1, 5)"
    assert case.stmts[0].expr.iftrue.name == "__circ_condition"
    assert text(branch.cond) == "TOS_post(g)"
    assert text(branch.iftrue) == "TOS_post(h)"
    assert "TOS_post(g)" in text(last)


def test_designators(parsed: Parse) -> None:
    p = parsed("struct s { int x, y; } a = { x: 1, y: 2 }; int b[9] = { [1 ... 3] = 7 };")
    assert [i.name[0].name for i in p.ast.ext[0].init.exprs] == ["x", "y"]
    designator = p.ast.ext[1].init.exprs[0].name[0]
    assert isinstance(designator, c_ast.ArrayDesignator)
    assert text(designator.expr) == "__circ_range(1, 3)"


def test_types(parsed: Parse) -> None:
    p = parsed("int x; typeof(x) y; __auto_type z = x; _Float128 q; __builtin_va_list ap; bool b = true; int a = __alignof__(x);")
    _, y, z, q, ap, b, a = p.ast.ext
    assert isinstance(y.type.type, c_ast.TypeOf)
    assert isinstance(z.type.type, c_ast.InferredType)
    assert q.type.type.names == ["long", "double"]
    assert ap.type.type.names == ["__builtin_va_list"]
    assert (b.type.type.names, b.init.value) == (["_Bool"], "1")
    assert a.init.op == "_Alignof"
    assert isinstance(a.init.expr.type.type, c_ast.TypeOf)


def test_bool_that_the_file_declares_is_its_own(parsed: Parse) -> None:
    p = parsed("typedef unsigned char bool; enum { false, true = 7 }; bool b = true; bool c[] = { true, false };")
    assert p.ast.ext[2].init.name == "true"
    assert p.ast.ext[2].type.type.names == ["bool"]


def test_mode_follows_the_data_model(parsed: Parse) -> None:
    source = "typedef int w __attribute__((mode(word))); typedef unsigned int d __attribute__((__mode__(__DI__)));"
    shown = {m: [t.type.type.names for t in parsed(source, model=m).ast.ext] for m in ("lp64", "ilp32", "ip16")}
    assert shown == {
        "lp64": [["long", "int"], ["unsigned", "long", "int"]],
        "ilp32": [["int"], ["unsigned", "long", "long", "int"]],
        "ip16": [["int"], ["unsigned", "long", "long", "int"]],
    }


def test_types_compatible(parsed: Parse) -> None:
    p = parsed("int a = __builtin_types_compatible_p(int (*)(int, int), struct s *);")
    arguments = p.ast.ext[0].init.args.exprs
    assert [(a.op, type(a.expr).__name__) for a in arguments] == [("sizeof", "Typename"), ("sizeof", "Typename")]


# --------------------------------------------------------------------------------------------------- attributes
def test_attributes_by_name(parsed: Parse) -> None:
    p = parsed("""void __attribute((interrupt)) __vector_15(void);
void __vector_15(void) { }
void __vector_9(void) __attribute__((__signal__, spontaneous)) ;
__attribute__((circ_threads(2))) static void f(int self) { }
int v __attribute__((section("a, b"), aligned(8))), plain;
typedef struct { int x; } t __attribute__((aligned(4)));
""")
    assert names(p, "__vector_15") == [("interrupt", ())]
    assert names(p, "__vector_9") == [("signal", ()), ("spontaneous", ())]
    assert names(p, "f") == [("circ_threads", ("2",))]
    assert names(p, "v") == [("section", ('"a, b"',)), ("aligned", ("8",))]
    assert names(p, "t") == [("aligned", ("4",))]
    assert "plain" not in p.attributes
    where = p.attributes["__vector_9"][0].location
    assert (where.line, where.column) == (3, 38)


def test_attributes_of_records_and_fields(parsed: Parse) -> None:
    p = parsed("""typedef struct { char a; int b; } __attribute__((packed)) t1;
struct __attribute__((packed)) t2 { char a; int b __attribute__((aligned(4))); int c : 3 __attribute__((packed)); };
struct t3 { char a; } __attribute__((aligned(8))) v3;
union t4 { char a; } plain;
#pragma pack(push, 1)
struct t5 { char a; int b; };
#pragma pack(pop)
struct t6 { char a; int b; };
struct t7 { struct { int x; } __attribute__((packed)) inner; };
struct t8 { char a; int b; } __attribute__((packed));
""")
    def of(node: c_ast.Node) -> list[tuple[str, tuple[str, ...]]]:
        return [(a.name, a.args) for a in p.record_attributes(node)]

    t1, t2, t3, t4, t5, t6, t7, t8 = p.ast.ext
    assert of(t1.type.type) == [("packed", ())]
    assert of(t2.type) == [("packed", ())]
    assert [of(d) for d in t2.type.decls] == [[], [("aligned", ("4",))], [("packed", ())]]
    assert of(t3.type.type) == [("aligned", ("8",))]
    assert of(t3) == []
    assert of(t4.type.type) == []
    assert of(t5.type) == [("pack", ("1",))]
    assert of(t6.type) == []
    assert of(t7.type) == []
    assert of(t8.type) == [("packed", ())]
    assert of(t7.type.decls[0].type.type) == [("packed", ())]


def test_attribute_of_one_declarator_only(parsed: Parse) -> None:
    p = parsed("struct s { int a, __attribute__((aligned(16))) b, c; };")
    assert [[x.name for x in p.record_attributes(d)] for d in p.ast.ext[0].type.decls] == [[], ["aligned"], []]


# --------------------------------------------------------------------------------------------------- not modelled
def test_a_body_that_cannot_be_read_is_one_call_with_its_names(parsed: Parse) -> None:
    p = parsed("int g; int f(int x) { int h(int y) { return x + y; } return h(g); } int k(void) { return g; }")
    call = p.ast.ext[1].body.block_items[0]
    assert call.name.name == "__circ_not_modelled" and len(p.ast.ext[1].body.block_items) == 1
    assert [part.value for part in call.args.exprs[1:]] == ['"h"', '"y"', '"x"', '"g"']
    assert isinstance(p.ast.ext[2].body.block_items[0], c_ast.Return)


@pytest.mark.parametrize("source", ["int f(int a) { g(a) { return 1; } }", "int f(int a) { int x = (a) { return 1; } }"])
def test_what_is_no_c_at_all_stays_an_error(source: str, parsed: Parse) -> None:
    with pytest.raises(FrontendError, match="syntax error"):
        parsed(source)


# --------------------------------------------------------------------------------------------------- refused
@pytest.mark.parametrize(("source", "message"), [
    ("int x __attribute__((mode(V4SI)));", r"1:7: error: mode\(V4SI\) is not supported"),
    ("int x = 089;", r"1:9: error: '089' is not an octal constant"),
    ("int x = 0x;", r"1:9: error: '0x' is not a number"),
    ("int x = 1uuu;", r"1:9: error: '1uuu' is not a number"),
    ("int @x;", r"1:5: error: stray '@'"),
])
def test_refused_with_its_place(source: str, message: str, parsed: Parse) -> None:
    with pytest.raises(FrontendError) as caught:
        parsed(source)
    assert re.search(message, str(caught.value)), str(caught.value)


def test_many_attributes_in_a_row(parsed: Parse) -> None:
    p = parsed("int x " + "__attribute__((section(\"a\"))) " * 4_000 + "; struct s "
               + "__attribute__((packed)) " * 3 + "{ int a; };"
               "struct s __attribute__((aligned(8))) y; void f(void) { struct s __attribute__((aligned(4))) z; }")
    assert len(p.attributes["x"]) == 4_000
    assert [a.name for a in p.record_attributes(p.ast.ext[1].type)] == ["packed"] * 3
    assert names(p, "y") == [("aligned", ("8",))]
    assert [a.args for a in p.record_attributes(body(p)[0])] == [("4",)]
