"""Memory, heap, library functions and pthreads, from C text to steps."""

from __future__ import annotations

from pathlib import Path

import pytest

import frontend
from circ.search.explicit import oracle
from circ.verdict import Assertions, RaceOn
from frontend import FrontendError, LoadOptions
from frontend.program import AccessKind, Arbitrary, Program, Values, show_op


@pytest.fixture
def load(tmp_path: Path):  # type: ignore[no-untyped-def]
    def loader(text: str, *threads: str, **options: object) -> Program:
        path = tmp_path / "m.c"
        path.write_text(text)
        return frontend.load(path, LoadOptions(threads=threads, **options))  # type: ignore[arg-type]

    return loader


def steps(program: Program, name: str = "main") -> list[str]:
    return [f"{e.source} {show_op(e.op)} -> {e.target}" for e in program.template(name).cfa.edges]


def touched(program: Program, name: str = "main") -> list[str]:
    return [("W " if a.write else "R ") + a.variable + (" whole" if a.whole else "")
            for e in program.template(name).cfa.edges for a in e.accesses]


def test_leaves(load) -> None:  # type: ignore[no-untyped-def]
    program = load("""
    struct S { int f; char g[4]; struct { short h; } in; } s, arr[3];
    union { int i; unsigned u; } same; union { int i; char c[4]; } mixed;
    struct { unsigned a:3, b:5; int z; } bits;
    int t(void) { static int n = 4; return n; }
    int main(void) { s.f = arr[2].g[1]; same.u = 1; mixed.c[2] = 7; bits.b = 3; return mixed.i + bits.a + t(); }
    """)
    shapes = {v.shown: (v.type.width, v.length) for v in program.globals}
    assert shapes == {
        "s.f": (32, None), "s.g[]": (8, 4), "s.in.h": (16, None), "arr[].f": (32, 3), "arr[].g[]": (8, 12), "arr[].in.h": (16, 3),
        "same": (32, None), "mixed": (8, 4), "bits.a": (8, None), "bits.z": (32, None), "t::n": (32, None),
    }
    assert program.variable("t::n").start == Values(4)
    lines = steps(program)
    assert "1 s.f = arr" not in lines and any("arr[9].g[]" in line for line in lines)
    assert any("mixed.bytes[2] = 7" in line for line in lines)
    assert any("bits.a = bits.a & 7 | 24" in line for line in lines)


def test_initialisers(load) -> None:  # type: ignore[no-untyped-def]
    program = load("""
    int x[4] = {1, 2}; struct { int *p; char c[3]; } s = { &x[1], "ab" }; int main(void) { return *s.p + s.c[0]; }""")
    assert program.variable("x[]").start == Values(0, ((0, 1), (1, 2)))
    assert program.variable("s.c[]").start == Values(0, ((0, 97), (1, 98)))
    start = program.variable("s.p").start
    assert isinstance(start, Values) and start.default % 4 == 0 and start.default > 0


def test_pointer_of_known_value_needs_no_case(load) -> None:  # type: ignore[no-untyped-def]
    program = load("""
    int x, a[4], i; void set(int *p, int v) { *p = v; } void fill(int *p, int k) { p[k] = 7; }
    int main(void) { set(&x, 1); set(&a[2], 2); fill(a + 1, i); return 0; }""")
    assert steps(program) == ["0 x = 1 -> 1", "1 a[2] = 2 -> 2", "2 fill::k = i -> 3", "3 a[fill::k + 1] = 7 -> 4"]


def test_cases_of_a_pointer(load) -> None:  # type: ignore[no-untyped-def]
    program = load("int x, y, c; int *p; int main(void) { p = c ? &x : &y; *p = 3; return 0; }")
    written = [a.variable for e in program.template("main").cfa.edges for a in e.accesses if a.write]
    assert written == ["p", "x", "y"] or sorted(written) == ["p", "x", "y"]
    assert "no invalid pointer is dereferenced" in [a.text for a in program.assumptions]


def test_pointer_from_outside_touches_what_it_may(load) -> None:  # type: ignore[no-untyped-def]
    program = load("int x, hidden; int *g = &x; int *ask(void); int main(void) { int *p = ask(); *p = 1; hidden = 2; return 0; }")
    assert "W x" in touched(program)
    edges = [e for e in program.template("main").cfa.edges if any(a.variable == "x" for a in e.accesses)]
    assert [show_op(e.op) for e in edges] == ["x = *"]


def test_hardware_registers(load) -> None:  # type: ignore[no-untyped-def]
    program = load("int main(void) { *(volatile unsigned char *)0x57 |= 2; return *(volatile unsigned char *)0x57; }")
    assert program.variable("*0x57").volatile
    assert touched(program) == ["R *0x57", "W *0x57", "R *0x57"]
    assert any("= *" in s for s in steps(program))


def test_volatile_is_an_assumption(load) -> None:  # type: ignore[no-untyped-def]
    program = load("volatile int v; extern volatile int e; int x; int main(void) { x = v; x = e; return 0; }")
    noted = [a.text for a in program.assumptions if "volatile" in a.text]
    assert noted == ["volatile variable 'v' changes only through the program"]
    reading = [e for e in program.template("main").cfa.edges if any(a.variable == "e" for a in e.accesses)]
    assert [show_op(e.op).endswith("= *") for e in reading] == [True]


def test_heap_that_is_allocated_once_is_a_plain_object(load) -> None:  # type: ignore[no-untyped-def]
    program = load("""#include <stdlib.h>
    struct S { int a; struct S *next; };
    int main(void) { struct S *p = malloc(sizeof *p); if (p) { p->a = 1; p->next = p; } return 0; }""")
    assert [(v.name, v.length) for v in program.globals] == [("malloc@main:3.a", None), ("malloc@main:3.next", None)]
    assert program.globals[0].start == Arbitrary()


def test_heap_in_a_loop_has_instances(load) -> None:  # type: ignore[no-untyped-def]
    program = load("""#include <stdlib.h>
    struct S { int a; struct S *next; } *head;
    int main(void) { while (head == 0 || head->a) { struct S *p = calloc(1, sizeof *p); if (!p) break;
      p->next = head; head = p; } return 0; }""")
    cells = program.variable("calloc@main:3.next")
    assert cells.is_array and cells.start == Values()
    assert any("next> + 1" in s for s in steps(program))


def test_a_local_that_gets_out_is_a_variable_of_the_program(load) -> None:  # type: ignore[no-untyped-def]
    program = load("""#include <pthread.h>
    void *w(void *p) { *(int *)p = 1; return 0; }
    int main(void) { int n = 0, kept = 0; int *q = &kept; pthread_t t; pthread_create(&t, 0, w, &n); *q = 2; n = 3;
      pthread_join(t, 0); return n; }""")
    assert "main::n" in [v.name for v in program.globals] and "main::kept" not in [v.name for v in program.globals]
    assert oracle(program, RaceOn("main::n"), 2) is True


def test_every_thread_has_its_own_instance(load) -> None:  # type: ignore[no-untyped-def]
    program = load("int *out; void w(int v) { int n = v; out = &n; n = 2; }", "w")
    assert program.variable("w::n").is_array
    writes = [a for e in program.template("w").cfa.edges for a in e.accesses if a.variable == "w::n"]
    assert writes and all("<self>" in frontend.program.show_lvalue(a.lvalue) for a in writes)


CREATE = "#include <pthread.h>\nint x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
PTHREADS = [
    ("unprotected", "void *w(void *p) { x++; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); x = 1;"
     " return 0; }", True),
    ("ordered by join", "void *w(void *p) { x++; return 0; } int main(void) { pthread_t t; x = 1; pthread_create(&t, 0, w, 0);"
     " pthread_join(t, 0); x = 2; return 0; }", False),
    ("joins the other", "void *w(void *p) { x++; return 0; } void *v(void *p) { return 0; } int main(void) { pthread_t t, u;"
     " pthread_create(&t, 0, w, 0); pthread_create(&u, 0, v, 0); pthread_join(u, 0); x = 2; return 0; }", True),
    ("mutex", "void *w(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; } int main(void) {"
     " pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, w, 0); return 0; }", False),
    ("unlocked too early", "void *w(void *p) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); x++; return 0; }"
     " int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, w, 0); return 0; }", True),
    ("another mutex", "pthread_mutex_t k; void *w(void *p) { pthread_mutex_lock(p); x++; pthread_mutex_unlock(p); return 0; }"
     " int main(void) { pthread_t t, u; pthread_create(&t, 0, w, &m); pthread_create(&u, 0, w, &k); return 0; }", True),
    ("the same mutex by pointer", "void *w(void *p) { pthread_mutex_lock(p); x++; pthread_mutex_unlock(p); return 0; }"
     " int main(void) { pthread_t t, u; pthread_create(&t, 0, w, &m); pthread_create(&u, 0, w, &m); return 0; }", False),
    ("trylock that fails", "void *w(void *p) { if (pthread_mutex_trylock(&m)) x++; return 0; } int main(void) { pthread_t t, u;"
     " pthread_mutex_lock(&m); pthread_create(&t, 0, w, 0); pthread_create(&u, 0, w, 0); return 0; }", True),
    ("created inside the lock", "void *w(void *p) { x++; return 0; } int main(void) { pthread_t t; pthread_mutex_lock(&m);"
     " pthread_create(&t, 0, w, 0); x++; pthread_mutex_unlock(&m); return 0; }", True),
    ("wait gives the lock away", "pthread_cond_t c; int go; void *w(void *p) { pthread_mutex_lock(&m); while (!go)"
     " pthread_cond_wait(&c, &m); x++; pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t;"
     " pthread_create(&t, 0, w, 0); pthread_mutex_lock(&m); x = 1; go = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);"
     " return 0; }", False),
]


@pytest.mark.parametrize(("name", "text", "racy"), PTHREADS, ids=[p[0] for p in PTHREADS])
def test_pthreads(load, name: str, text: str, racy: bool) -> None:  # type: ignore[no-untyped-def]
    program = load(CREATE + text)
    assert program.race_model == "c11"
    assert oracle(program, RaceOn("x"), 2) is racy


def test_library_functions_touch_their_arguments(load) -> None:  # type: ignore[no-untyped-def]
    program = load("""#include <string.h>
    char a[8], b[8]; struct { int n; char t[4]; } s; int k[200];
    int main(void) { strcpy(a, b); memset(&s, 0, sizeof s); memset(k, 1, sizeof k); return (int)strlen(a); }""")
    assert touched(program) == ["R b[] whole", "W a[] whole", "W s.n", *["W s.t[]"] * 4, "W k[]", "R a[] whole"]
    assert "unknown function" not in " ".join(a.text for a in program.assumptions)


def test_unknown_functions_touch_what_their_arguments_reach(load) -> None:  # type: ignore[no-untyped-def]
    program = load("""
    int x, far; struct { int *p; } s; void mystery(void *);
    int main(void) { s.p = &far; mystery(&s); return x; }""")
    found = touched(program)
    assert {"W far", "R far", "W s.p"} <= set(found) and "W x" not in found
    assert touched(load("int x; void peek(const int *); int main(void) { peek(&x); return 0; }")) == ["R x"]


def test_what_unknown_functions_put_somewhere_they_had_got_to_before(load) -> None:  # type: ignore[no-untyped-def]
    taken = "int given, kept, *own = &kept; struct { int n; char t[8]; } r; struct { int *p; } s; void mystery(void *);"
    numbers = touched(load(taken + "int main(void) { own = &kept; mystery(&r); return 0; }"))
    assert "W r.n" in numbers and "W r.t[] whole" in numbers and "W kept" not in numbers
    pointers = touched(load(taken + "int main(void) { mystery(&given); own = &kept; mystery(&s); return 0; }"))
    assert "W s.p" in pointers and "W kept" not in pointers and pointers.count("W given") > 1
    program = load(taken + "int main(void) { own = &kept; mystery(&s); *s.p = 1; return 0; }")
    assert "W kept" in touched(program)  # but the program may not have got what it finds there from itself alone
    program = load(taken + "int main(void) { own = &kept; return 0; } void h(int *p) { s.p = p; mystery(&s); }", "h", "main")
    assert "W kept" in touched(program, "h")


def test_atomics_are_no_data(load) -> None:  # type: ignore[no-untyped-def]
    text = "#include <stdatomic.h>\n_Atomic int a; void w(void) { a = 1; a++; atomic_store(&a, 3); }"
    program = load(text, "w", race_model="c11")
    assert {a.kind for e in program.template("w").cfa.edges for a in e.accesses} == {AccessKind.ATOMIC}
    assert oracle(program, RaceOn("a"), 2) is False


def test_function_pointers(load) -> None:  # type: ignore[no-untyped-def]
    program = load("int x, y, c; void f(void) { x = 1; } void g(void) { y = 1; } void (*h)(void);"
                   "int main(void) { h = c ? f : g; h(); return 0; }")
    assert {"W x", "W y", "R h"} <= set(touched(program))


def test_large_programs_share_copies(load) -> None:  # type: ignore[no-untyped-def]
    work = " ".join(f"x = x * {k} + 1; if (x > {k}) y = x;" for k in range(100))
    calls = " ".join("leaf();" for _ in range(20))
    program = load(f"int x, y; void leaf(void) {{ {work} }} int main(void) {{ {calls} return 0; }}")
    assert len(program.template("main").cfa.edges) < 1000
    assert "leaf::<return>" in [v.name for v in program.template("main").locals]


def test_names(load) -> None:  # type: ignore[no-untyped-def]
    program = load("struct { int f, g[2]; } s; int a[3]; void f(void) { static int n; n++; } void g(void) { static int k; k++; }"
                   "int main(void) { f(); g(); s.f = s.g[1] = a[0]; return 0; }")

    def names(text: str) -> list[str]:
        return [v.name for v in frontend.resolve_variable(program, text)]

    assert names("s") == ["s.f", "s.g[]"] and names("s.g") == ["s.g[]"] and names("a[]") == names("a") == ["a[]"]
    assert names("f::n") == names("n") == ["f::n"] and names("m.c:a") == ["a[]"]
    for bad in ("nothing", "s.h", "other.c:a"):
        with pytest.raises(FrontendError):
            names(bad)


def test_threads_created_one_by_one_have_their_own_locals(load) -> None:  # type: ignore[no-untyped-def]
    program = load("""#include <pthread.h>
    int *out; void *w(void *p) { int n = 0; out = &n; n++; return 0; }
    int main(void) { pthread_t t, u; pthread_create(&t, 0, w, 0); pthread_create(&u, 0, w, 0); return 0; }""")
    own = [{frontend.program.show_lvalue(a.lvalue) for e in program.template(name).cfa.edges for a in e.accesses
            if a.variable == "w::n"} for name in ("w", "w#2")]
    assert own[0] and own[1] and not own[0] & own[1]
    assert oracle(program, RaceOn("w::n"), 2) is False and oracle(program, RaceOn("out"), 2) is True


def test_pointers_that_the_library_makes(load) -> None:  # type: ignore[no-untyped-def]
    program = load("""#include <stdlib.h>
    char text[8]; int x; int main(void) { char *end; x = (int)strtol(text, &end, 10); if (*end) x = 2; return 0; }""")
    assert "R text[] whole" in touched(program) and touched(program).count("W x") == 2


def test_functions_that_are_called_from_many_places_do_not_multiply(load) -> None:  # type: ignore[no-untyped-def]
    def edges(depth: int) -> int:
        functions = ["int x; static void f0(int n) { if (n > 3) x += n; }"]
        functions += [f"static void f{i}(int n) {{ if (n & {i}) f{i - 1}(n + 1); else f{i - 1}(n - 1); }}" for i in range(1, depth + 1)]
        program = load("\n".join([*functions, f"int main(void) {{ f{depth}(x); return 0; }}"]))
        return sum(len(t.cfa.edges) for t in program.templates)

    assert edges(24) < 3 * edges(12)


WALKS = [
    "struct { char c; int n; } p; int main(void) { char *b = (char *)&p; b[5] = 1; assert(!p.n); }",
    "struct { char c; int n; } p; int main(void) { for (unsigned i = 0; i < sizeof p; i++) ((char *)&p)[i] = 1; assert(!p.n); }",
    "struct __attribute__((packed)) { char c; int n; } p; int main(void) { ((char *)&p)[1] = 1; assert(!p.n); }",
    "struct { int a, n; } p; int main(void) { int *b = &p.a; b[(unsigned)nondet() % 2] = 1; assert(!p.n); }",
    "struct { char h[4]; int n; } p; void f(char *b, unsigned k) { for (unsigned i = 0; i < k; i++) b[i] = 1; }"
    "int main(void) { f((char *)&p, sizeof p); assert(!p.n); }",
    "struct { char h[4]; int n; } p; void f(void *v, unsigned k) { char *b = v; while (k--) *b++ = 1; }"
    "int main(void) { f(&p, sizeof p); assert(!p.n); }",
    "struct { char h[4]; int n; } p[3]; int main(void) { char *b = (char *)p; for (unsigned i = 0; i < sizeof p; i++) b[i] = 1;"
    "assert(!p[1].n); }",
    "struct { short h[2]; int n; } p; int main(void) { short *b = (short *)&p; for (int i = 0; i < 4; i++) b[i] = 1; assert(!p.n); }",
    "struct { char h[8]; int *q; } a, b; int n; void f(void *d, void *s, unsigned k) { char *p = d, *r = s; while (k--) *p++ = *r++; }"
    "int main(void) { f(a.h, a.h, 1); a.q = &n; f(&b, &a, sizeof a); *b.q = 1; assert(!n); }",
    "struct { int a, n; } p; int main(void) { *(long *)&p = -1; assert(!p.a || !p.n); }",
    "struct { unsigned char a, b; short n; } p; int main(void) { *(unsigned *)&p = 0x01020304; assert(p.a != 4 || !p.b || !p.n); }",
]


@pytest.mark.parametrize("text", WALKS)
def test_integers_of_another_type_reach_all_of_a_struct(load, text: str) -> None:  # type: ignore[no-untyped-def]
    """By characters, or as wider integers: what is written between the members of that type is not lost, nor what follows."""
    assert oracle(load(f'#include "circ.h"\n#include <assert.h>\n{text}'), Assertions(), 0) is True


def test_an_array_in_a_struct_is_walked_alone(load) -> None:  # type: ignore[no-untyped-def]
    """Nobody takes the struct as bytes; and the address of an element is in its array, wherever that is."""
    program = load("""
    struct S { int n; char h[4]; } p; void f(char *b) { for (int i = 0; i < 4; i++) b[i] = 1; }
    char *at(struct S *s, int i) { return &s->h[i & 3]; }
    int main(void) { f(p.h); *at(&p, nondet()) = 2; return p.n; }""")
    assert touched(program) == ["W p.h[]", "W p.h[]", "R p.n"]


def test_a_section_may_begin_without_a_declaration(load) -> None:  # type: ignore[no-untyped-def]
    program = load("int x; int main(void) { int s = __nesc_atomic_start(); x = x + 1; __nesc_atomic_end(s); return 0; }")
    assert [e.protected for e in program.template("main").cfa.edges if e.accesses] == [True]


SET_ONCE = """
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int *p, *q, x;
struct box { int *in; } b;
void *f(void *a) { int i = __VERIFIER_nondet_int(); p[i] = 1; %s return 0; }
int main(void) { pthread_t t; p = malloc(40); q = p; b.in = &x; pthread_create(&t, 0, f, 0); %s return 0; }
"""


@pytest.mark.parametrize(("thread", "main", "cell"), [
    ("", "", "malloc@main:8[f::i] = 1"),
    ("", "free(p);", "malloc@main:8[f::i] = 1"),
    ("*b.in = 2;", "struct box *c = &b; c->in = &x;", "x = 2"),
])
def test_a_pointer_that_is_one_address_or_nothing(thread: str, main: str, cell: str, load) -> None:  # type: ignore[no-untyped-def]
    program = load(SET_ONCE % (thread, main))
    assert any(cell in line for line in steps(program, "f"))
    assert any("p == " in line for line in steps(program, "f"))


@pytest.mark.parametrize("main", [
    "p = q + 1;", "p++;", "p = &x;", "int **r = &p; *r = &x;", "int **r = &p; if (x) r = &q; *r = q + 1;", "scanf(\"%p\", &p);",
    "extern void out(int **); out(&p);", "memset(&p, 1, sizeof p);", "extern long get(void); p = (int *)get();",
])
def test_a_pointer_that_is_several_addresses(main: str, load) -> None:  # type: ignore[no-untyped-def]
    program = load("#include <stdio.h>\n#include <string.h>" + SET_ONCE % ("", main))
    assert not any("[f::i] = 1" in line for line in steps(program, "f"))


def test_locks_in_memory_without_a_type(load) -> None:  # type: ignore[no-untyped-def]
    """Only the first lock in it has a state; of the others nobody waits for one, and no run is real that depends on it."""
    program = load("""
    #include <pthread.h>
    union { pthread_mutex_t m[4]; char c[64]; } u; int x;
    void *t(void *a) { pthread_mutex_lock(&u.m[1]); x++; pthread_mutex_unlock(&u.m[1]); return 0; }
    int main(void) {
        pthread_t id; pthread_create(&id, 0, t, 0); pthread_mutex_lock(&u.m[2]); x++; pthread_mutex_unlock(&u.m[2]); return 0; }
    """)
    assert any(d.reason.startswith("a lock that cannot be told apart") for e in program.template("t").cfa.edges for d in e.doubts)
    assert oracle(program, RaceOn("x"), 2) is True


def test_alignment_as_an_expression(load) -> None:  # type: ignore[no-untyped-def]
    program = load("""
    typedef unsigned short half; enum { TWO = 2 };
    struct a { char c; half h __attribute__((aligned(sizeof(half) * TWO))); };
    struct b { char c; } __attribute__((aligned(__alignof__(struct a))));
    struct c { char c; struct b b; } __attribute__((aligned(1 << 4)));
    int x; int main(void) { x = sizeof(struct a) * 100 + sizeof(struct b) * 1000 + sizeof(struct c); return 0; }
    """)
    assert "0 x = 4816 -> 1" in steps(program)


LISTS = """#include <stdlib.h>
struct node { int datum; struct node *next; } *A, *B;
struct node *new_node(int x) { struct node *p = malloc(sizeof *p); p->datum = x; return p; }
void add(struct node **list, int x) { struct node *p = new_node(x); p->next = *list; *list = p; }
int main(void) { struct node *p; while (x) { add(&A, 1); add(&B, 2); } %s p = A; p->datum = 1; p = B; p->datum = 2; return 0; }
"""


@pytest.mark.parametrize(("between", "objects"), [("", 2), ("B = A;", 1), ("A = A->next;", 2)])
def test_two_lists_of_one_function_are_two_objects_unless_they_meet(tmp_path: Path, between: str, objects: int) -> None:
    path = tmp_path / "lists.c"
    path.write_text("int x;\n" + LISTS % between)
    program = frontend.load(path)
    assert sum(v.name.endswith(".datum") for v in program.globals) == objects
    written = [{a.variable for a in e.accesses if a.write and a.variable.endswith(".datum")}
               for e in program.templates[0].cfa.edges if e.text.startswith("p->datum = ") and e.location.line == 6]
    assert all(len(w) <= 1 for w in written) and len(frozenset().union(*written)) == objects


@pytest.mark.parametrize(("statement", "told"), [
    ("a[7] = 1;", True), ("a[3] = 1;", False), ("s.p[2] = 1;", True), ("s.p[1] = 1;", False), ("g[0][5] = 1;", True),
    ("int *end = &a[4]; (void)end;", False), ("a[s.q] = 1;", True)])
def test_an_index_that_may_be_outside_is_told(load, statement: str, told: bool) -> None:  # type: ignore[no-untyped-def]
    program = load(f"int a[4], g[3][4]; struct {{ int p[2]; int q; }} s; int main(void) {{ {statement} return 0; }}")
    assert any("no array index is out of bounds" in a.text for a in program.assumptions) == told
