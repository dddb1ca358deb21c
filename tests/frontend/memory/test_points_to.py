"""What pointers may point to, asked of C programs through the front end's own halves."""

from __future__ import annotations

from pathlib import Path

import pytest

import frontend
from frontend.finders.points_to_solver import ConstraintGraph, solver
from frontend.ir import Function
from frontend.ir.modelled_calls import Without
from frontend.ir.split_registers import MARK, split
from frontend.lower.module import load_module
from frontend.memory.objects import Notes, Objects
from frontend.memory.places import Places
from frontend.memory.points_to import ANY, PointsTo, Solver, heap_types
from frontend.program import LP64, Read, Scalar, Var
from frontend.text.parse import SourceOptions, parse
from tests.support.ir_machine import Machine

PTR = Scalar(64, False)


def analyse(tmp_path: Path, text: str, solved_by: Solver | None = solver) -> PointsTo:
    path = tmp_path / "p.c"
    path.write_text(text)
    module = load_module(parse(str(path), SourceOptions()), LP64)

    def body(name: str) -> Function | None:
        decl = module.declarations.get(name)
        return module.function(name) if decl is not None and decl.defined else None

    places = Places(module)
    objects = Objects(module, places, Notes({}, {}))
    found = PointsTo(module, objects, places, body, {}, solver=solved_by)
    found.find(["main"])
    if found.heaps:
        types = heap_types(found.heaps, found.pointed, module)
        objects.forget(found.heaps)
        found = PointsTo(module, objects, places, body, types, solver=solved_by)
        found.find(["main"])
    found.solve(["main"])
    return found


CASES = [
    ("plain", "int x, y; int main(void) { int *p = &x; int *q = &y; return *p; }", "p", ["x"], False),
    ("both branches", "int x, y, c; int main(void) { int *p; if (c) p = &x; else p = &y; return *p; }", "p", ["x", "y"], False),
    ("through memory", "int x; int *g; int main(void) { g = &x; int *p = g; return *p; }", "p", ["x"], False),
    ("through a field", "int x, y; struct { int *a, *b; } s; int main(void) { s.a = &x; s.b = &y; int *p = s.b; return *p; }",
     "p", ["y"], False),
    ("two levels", "int x; int *a; int **g = &a; int main(void) { *g = &x; int *p = a; return *p; }", "p", ["x"], False),
    ("initialiser", "int x[4]; int *g = &x[2]; int main(void) { int *p = g; return *p; }", "p", ["x"], False),
    ("parameter", "int x; int f(int *q) { int *p = q; return *p; } int main(void) { return f(&x); }", "f:p", ["x"], False),
    ("result", "int x; int *f(void) { return &x; } int main(void) { int *p = f(); return *p; }", "p", ["x"], False),
    ("arithmetic", "int a[8], i; int main(void) { int *p = a + i; p++; return *p; }", "p", ["a"], False),
    ("container", "struct S { int k, m; } s; int main(void) { int *q = &s.m; struct S *p = (struct S *)((char *)q - 4);"
     " return p->k; }", "p", ["s"], False),
    ("heap", "#include <stdlib.h>\nint main(void) { int *p = malloc(4); return *p; }", "p", ["malloc@main:2"], False),
    ("struct copy", "int x; struct { int *f; } s, t; int main(void) { s.f = &x; t = s; int *p = t.f; return *p; }", "p", ["x"],
     False),
    ("a counter", "unsigned long n; int x; int main(void) { int *p = &x; while (n) n = n + 8; return *p; }", "p", ["x"], False),
    ("from outside", "int *f(void); int main(void) { int *p = f(); return *p; }", "p", [], True),
    ("argv", "int main(int argc, char **argv) { char *p = argv[0]; return *p; }", "p", [], False),
    ("null only", "int *g; int main(void) { int *p = g; return *p; }", "p", [], False),
    ("distance of two objects", "int x, y; int main(void) { long d = (long)&y - (long)&x; int *p = (int *)((long)&x + d); return *p; }",
     "p", ["x", "y"], True),
    ("narrow distance", "int x, y, d; int main(void) { d = (long)&y - (long)&x; int *p = (int *)((long)&x + d); return *p; }",
     "p", ["x"], True),
    ("distance in an element", "int x, y; long d[2]; int main(void) { d[1] = (long)&y - (long)&x; int *p = (int *)((long)&x + d[1]);"
     " return *p; }", "p", ["x", "y"], True),
    ("distance as a result", "int x, y; int d(void *a, void *b) { return (long)a - (long)b; } int main(void)"
     " { int *p = (int *)((long)&x + d(&y, &x)); return *p; }", "p", ["x"], True),
    ("narrow argument", "int x, y; int *at(int d) { int *p = (int *)((long)&x + d); return p; } int main(void)"
     " { return *at((long)&y - (long)&x); }", "at:p", ["x"], True),
    ("multiplied", "int x, y; int main(void) { long d = ((long)&y - (long)&x) / 4; int *p = (int *)((long)&x + 4 * d); return *p; }",
     "p", ["x"], True),
    ("absolute value", "#include <stdlib.h>\nint x, y; int main(void) { long d = labs((long)&y - (long)&x);"
     " int *p = (int *)((long)&x + d); return *p; }", "p", ["x"], True),
    ("distance in a bit field", "int x, y; struct { int d : 20; } s; int main(void) { s.d = (long)&y - (long)&x;"
     " int *p = (int *)((long)&x + s.d); return *p; }", "p", ["x"], True),
    ("distance read as halves", "int x, y; long d; int main(void) { d = (long)&y - (long)&x; int *p = (int *)((long)&x + *(int *)&d);"
     " return *p; }", "p", ["x"], True),
    ("low halves", "int x, y; int main(void) { unsigned a = (long)&y, b = (long)&x; int *p = (int *)((long)&x + (a - b)); return *p; }",
     "p", ["x"], True),
    ("low bits", "int x, y; int main(void) { long k = (long)&y & 4095; int *p = (int *)(((long)&x & ~4095L) + k); return *p; }",
     "p", ["x"], True),
    ("sum of two addresses", "int x, y; int main(void) { long s = (long)&x + (long)&y; int *p = (int *)(s - (long)&x); return *p; }",
     "p", ["x", "y"], True),
    ("taken off twice", "int x, y; int main(void) { long d = (long)&y - (long)&x; int *p = (int *)((long)&y - d); return *p; }",
     "p", ["y"], True),
    ("overflow builtin", "int x, y; int main(void) { long d; __builtin_sub_overflow((long)&y, (long)&x, &d);"
     " int *p = (int *)((long)&x + d); return *p; }", "p", ["x", "y"], True),
    ("distance in one object", "struct { int a, b; } s; int main(void) { long d = (long)&s.b - (long)&s.a;"
     " int *p = (int *)((long)&s.a + d); return *p; }", "p", ["s"], False),
    ("distance of pointers", "char a[8], b[8]; int main(void) { char *e = a + 3; char *p = b + (e - a); return *p; }", "p", ["b"], False),
    ("alignment", "char a[64]; int main(void) { char *q = a + 1; char *p = q + (-(long)q & 15); return *p; }", "p", ["a"], False),
]


@pytest.mark.parametrize(("name", "text", "register", "targets", "unknown"), CASES, ids=[c[0] for c in CASES])
def test_targets(tmp_path: Path, name: str, text: str, register: str, targets: list[str], unknown: bool) -> None:
    function, _, local = register.rpartition(":")
    found = analyse(tmp_path, text).targets(function or "main", Read(Var(local, PTR)))
    assert sorted({t[0] for t in found.known}) == targets
    assert found.unknown == unknown


def test_fields_are_kept_apart(tmp_path: Path) -> None:
    found = analyse(tmp_path, "struct { int a, b; } s; int main(void) { int *p = &s.a; int *q = &s.b; return *p + *q; }")
    assert found.targets("main", Read(Var("p", PTR))).known == (("s", 0),)
    assert found.targets("main", Read(Var("q", PTR))).known == (("s", 4),)


def test_a_walk_over_the_bytes_of_a_struct_does_not_tell_each_of_them_apart(tmp_path: Path) -> None:
    moves = " ".join(f"g = (char *)&s + {n};" for n in range(8 * 40))
    fields = " ".join(f"long f{n};" for n in range(40))
    found = analyse(tmp_path, f"struct {{ {fields} }} s; char *g; int main(void) {{ {moves} char *p = g; long *q = &s.f39; return *p; }}")
    known = found.targets("main", Read(Var("p", PTR))).known
    assert ("s", ANY) in known and {("s", 8 * n) for n in range(40)} < set(known) and len(known) < 60
    assert found.targets("main", Read(Var("q", PTR))).known == (("s", 8 * 39),)


def test_function_pointers_in_tables(tmp_path: Path) -> None:
    text = """
    int x;
    void f(int k) { x = k; } void g(int k) { x = -k; } void h(void) { }
    void (*table[])(int) = { f, g };
    int main(void) { void (*t)(int) = table[x]; t(1); return 0; }
    """
    found = analyse(tmp_path, text)
    assert found.functions("main", Read(Var("t", PTR)), 1) == ("f", "g")
    assert sorted(found.reached) == ["f", "g", "main"]


LATE = """
void (*get(void))(void);
int atexit(void (*f)(void)); void exit(int);
void (*slot)(void), (*other)(void); int x, *p;
static void second(void) { p = &x; *p = 3; }
static void first(void) { other = second; }
int main(void) { void (*h)(void) = get(); USE; slot = first; exit(0); }
"""


@pytest.mark.parametrize("use", ["h()", "atexit(h)"])
def test_a_pointer_from_outside_may_be_a_function_whose_address_is_taken_later(tmp_path: Path, use: str) -> None:
    found = analyse(tmp_path, LATE.replace("USE", use))
    assert ["first", "second"] in [list(names) for names in (*found.callees["main"].values(), *found.handlers.values())]
    assert list(found.reached) == ["main", "first", "second"] and "x" in found.taken


def test_heap_type_is_what_the_program_uses_it_as(tmp_path: Path) -> None:
    text = """
    #include <stdlib.h>
    struct S { int a; struct S *next; };
    int main(void) { struct S *p = malloc(sizeof *p); p->a = 1; p->next = 0; int *q = malloc(40); q[3] = 1; return 0; }
    """
    found = analyse(tmp_path, text)
    names = list(found.heaps)
    leaves = [[leaf.name for leaf in found._objects.named(n).leaves] for n in names]
    assert leaves == [[f"{names[0]}.a", f"{names[0]}.next"], [f"{names[1]}[]"]]


def test_addresses_of_parts_of_what_is_outside(tmp_path: Path) -> None:
    """`&p->f` for a pointer from outside is outside, too: no object is meant by that."""
    file = tmp_path / "outside.c"
    file.write_text("struct s { int a, f; }; struct s *get(void); int g, *k = &g; int main(void) { int *q = &get()->f; *q = 1; }")
    program = frontend.load(file)
    assert "g" in {a.variable for t in program.templates for e in t.cfa.edges for a in e.accesses if a.write}


WEBS = """int f(int a, int b, int c) {
    int p = a, q = 0;
    q += p; p = b; q += 2 * p;
    if (c) p = a + 1; else { q += 100; p = b + 2; }
    q += 3 * p; p = 7;
    for (int i = 0; i < 3; i++) { q += p; p = p * 2; }
    a = p; p = q; q = a + b; a = q - p; p = a;
    return p;
}
"""


class _Split(Without):
    """The module; every register is several, where it can be."""

    def function(self, name: str) -> Function:
        return split(super().function(name), lambda _: True)


def test_a_register_that_is_several_computes_the_same(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(WEBS)
    module = load_module(parse(str(path), SourceOptions()), LP64)
    parted = _Split(module, lambda _: False)
    whole, parts = module.function("f"), parted.function("f")
    assert sum(r.name.startswith(f"p{MARK}") for r in parts.registers) >= 3
    assert (parts.params, parts.result) == (whole.params, whole.result)
    for args in ([1, 2, 0], [1, 2, 1], [5, 9, 1], [1000, 3, 0]):
        assert Machine(module).call("f", [*args]) == Machine(parted).call("f", [*args])


def test_copies_of_memory_take_edges_for_sources_and_targets_not_for_pairs(tmp_path: Path) -> None:
    """Twice the objects behind both pointers of a `memcpy` and of an assignment are about twice the edges, not four times."""
    def edges(count: int) -> int:
        objects = " ".join(f"struct S a{n}, b{n};" for n in range(count))
        chosen = " ".join(f"if (c == {n}) {{ p = &a{n}; q = &b{n}; }}" for n in range(count))
        text = (f"#include <string.h>\nstruct S {{ char *m[1], *u, *v, *w, *x; }}; {objects}\n"
                f"int main(int c, char **v) {{ struct S *p = 0, *q = 0; {chosen} memcpy(p, q, sizeof *p); *q = *p; return 0; }}")
        made: list[ConstraintGraph] = []
        analyse(tmp_path, text, lambda bare: made.append(solver(bare)) or made[-1])
        nodes = {id(n): n for n in made[-1]._nodes}
        return sum(len(n.copies) + len(n.shifted) for n in nodes.values())

    assert edges(32) < 2.5 * edges(16)
