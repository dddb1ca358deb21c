"""Pointers that are null or one address: an access through them needs no case distinction, through any other one it does."""

from __future__ import annotations

from pathlib import Path

import pytest

import frontend
from frontend.lower.module import load_module
from frontend.memory.objects import Notes, Objects
from frontend.memory.places import Places
from frontend.memory.sketch import Sketch, SketchStep
from frontend.memory.sole_values import SoleValues, pointer_in, sole
from frontend.program import LP64, Assign, Binary, Block, Cast, Const, Havoc, Op, Read, Scalar, Var, Variable
from frontend.text.parse import SourceOptions, parse

WORD, HALF = Scalar(64, False), Scalar(32, False)
P, Q, R, G = Var("p", WORD), Var("q", WORD), Var("r", WORD), Var("g", WORD)
HEAD = """#include <pthread.h>
#include <stdlib.h>
struct node { int v; struct node *next; } first, second;
struct node *g; struct node **far; struct node *volatile device; int any(void);
struct box { struct node *kept; } box;
static void put(struct node *n) { struct node *p = n; box.kept = p; }
static void choose(int k) { struct node *q = &first; if (k) q = &second; box.kept = q; }
static void later(void) { struct node *q = &first; for (int i = 0; i < 3; i++) { box.kept = q; q = &second; } }
static void again(void) { struct node *q = box.kept; if (any()) q = &second; box.kept = q; }
"""


def touched(tmp_path: Path, start: str, body: str, other: str = "") -> set[str]:
    """What the thread `w` reads or writes of the nodes, if `main` does `start` before and the thread `o` does `other` meanwhile."""
    path = tmp_path / "p.c"
    path.write_text(f"{HEAD}void *w(void *arg) {{ {body} return 0; }}\nvoid *o(void *arg) {{ {other} return 0; }}\n"
                    f"int main(void) {{ pthread_t t; {start} pthread_create(&t, 0, w, g); pthread_create(&t, 0, o, 0); return 0; }}\n")
    cfa = frontend.load(path).template("w").cfa
    return {a.variable.partition(".")[0].partition("@")[0] for e in cfa.edges for a in e.accesses
            if a.variable.startswith(("first", "second", "malloc"))}


ONE = [
    ("g = &first;", "g->v = 1;", ""),
    ("g = &first;", "struct node *p = g; p->v = 1;", ""),
    ("g = &first;", "struct node *p = arg; p->v = 1;", ""),
    ("g = &first;", "struct node *p = 0; if (any()) p = g; if (p) p->v = 1;", ""),
    ("g = &first;", "g->v = 1;", "if (any()) g = 0;"),
    ("put(&first);", "box.kept->v = 1;", ""),
    ("put(&first);", "struct node *p = box.kept; if (p) p->v = 1;", "put(0);"),
]
BOTH = [
    ("g = &first;", "g->v = 1;", "g = &second;"),
    ("put(&first);", "box.kept->v = 1;", "put(&second);"),
    ("choose(any());", "box.kept->v = 1;", ""),
    ("later();", "box.kept->v = 1;", ""),
    ("put(&first); again();", "box.kept->v = 1;", ""),
    ("put(&first + any());", "box.kept->v = 1;", "put(&second);"),
    ("g = any() ? &first : &second;", "g->v = 1;", ""),
    ("g = &first;", "g->v = 1;", "far = &g; *far = &second;"),
    ("g = &first; first.next = &second;", "struct node *p = g; if (any()) p = p->next; p->v = 1;", ""),
    ("g = &first;", "struct node *p = g; while (any()) { p->v = 1; p = &second; }", ""),
]


@pytest.mark.parametrize(("start", "body", "other"), ONE)
def test_one_address_is_one_object(tmp_path: Path, start: str, body: str, other: str) -> None:
    assert touched(tmp_path, start, body, other) == {"first"}


@pytest.mark.parametrize(("start", "body", "other"), BOTH)
def test_a_second_address_is_not_overlooked(tmp_path: Path, start: str, body: str, other: str) -> None:
    assert touched(tmp_path, start, body, other) == {"first", "second"}


def test_a_pointer_set_once_to_what_malloc_gave_is_that(tmp_path: Path) -> None:
    assert touched(tmp_path, "g = malloc(sizeof *g);", "g->v = 1;") == {"malloc"}
    assert touched(tmp_path, "g = malloc(sizeof *g);", "g->v = 1;", "g = &first;") == {"malloc", "first"}


def test_what_the_device_gives_is_no_constant(tmp_path: Path) -> None:
    assert touched(tmp_path, "device = &first; if (any()) device = &second;", "struct node *p = device; p->v = 1;") == {"first", "second"}


def test_the_pointer_in_a_sum() -> None:
    index = Binary("*", Read(Var("i", WORD)), Const(8, WORD))
    for e in (Read(P), Binary("+", Read(P), Const(4, WORD)), Binary("+", Const(4, WORD), Binary("+", Read(P), index)),
              Cast(Read(Var("p", Scalar(64, True))), WORD)):
        found = pointer_in(e)
        assert found is not None and found.name == "p"
    for e in (Const(4, WORD), Binary("-", Read(P), Const(4, WORD)), Cast(Read(Var("p", HALF)), WORD),
              Binary("+", Read(P), Read(Var("q", WORD))), Binary("*", Const(8, WORD), Read(P))):
        assert pointer_in(e) is None, e


def test_what_is_said_of_that_pointer() -> None:
    known = {"p": (4096, frozenset({0}))}
    assert sole(Binary("+", Read(P), Const(4, WORD)), lambda v: known.get(v.name)) == (P, 4096, frozenset({0}))
    assert sole(Read(Var("q", WORD)), lambda v: known.get(v.name)) is None
    assert sole(Const(0, WORD), lambda v: known.get(v.name)) is None


def kept_after(op: Op, tmp_path: Path) -> tuple[int, frozenset[int]] | None:
    """What a copy of the global `g` holds in a thread with a register `r`, first the address of `x`, that goes through `op`."""
    path = tmp_path / "p.c"
    path.write_text("int x; int *g; int main(void) { g = &x; return 0; }")
    module = load_module(parse(str(path), SourceOptions()), LP64)
    places = Places(module)
    objects = Objects(module, places, Notes({}, {}))
    sketch = Sketch(4, 0, [SketchStep(0, 1, Assign(R, Const(objects.base(objects.named("x")), WORD))), SketchStep(1, 2, op),
                           SketchStep(2, 3, Assign(Q, Read(G)))])
    found = SoleValues([(sketch, {"r", "q"})], [Variable("g", WORD)], module, places, objects, lambda _: [])
    return found.address(0, 3, Q)


def test_what_a_step_changes_on_its_way_is_not_what_it_was(tmp_path: Path) -> None:
    """`r` becomes anything, or another number, before `g` gets it in the same step."""
    store = Assign(G, Read(R))
    assert kept_after(store, tmp_path) is not None
    assert kept_after(Block((Havoc((R,)), store)), tmp_path) is None
    other = kept_after(Block((Assign(R, Const(8, WORD)), store)), tmp_path)
    assert other is None or 8 in other[1]
