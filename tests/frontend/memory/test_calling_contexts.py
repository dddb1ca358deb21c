"""Functions with a copy for each call: what one call allocates is not what another one does, unless a pointer may confuse them."""

from __future__ import annotations

from pathlib import Path

import pytest

import frontend

HEAD = """#include <pthread.h>
#include <stdlib.h>
struct node { int v; struct node *next; } *a, *b;
pthread_mutex_t ma, mb; int any(void);
static struct node *make(struct node *next) { struct node *n = malloc(sizeof *n); n->next = next; return n; }
static void add(struct node **list) { *list = make(*list); }
void *wa(void *x) { pthread_mutex_lock(&ma); for (struct node *p = a; p; p = p->next) p->v++; pthread_mutex_unlock(&ma); return x; }
void *wb(void *x) { pthread_mutex_lock(&mb); for (struct node *p = b; p; p = p->next) p->v++; pthread_mutex_unlock(&mb); return x; }
"""


def nodes(tmp_path: Path, start: str, more: str = "") -> tuple[set[str], set[str]]:
    """The values of nodes that the two threads touch, by the allocations they belong to."""
    path = tmp_path / "p.c"
    path.write_text(f"{HEAD}{more}\nint main(void) {{ pthread_t t; {start} pthread_create(&t, 0, wa, 0); pthread_create(&t, 0, wb, 0); }}\n")
    program = frontend.load(path)
    one, two = ({a.variable for e in program.template(name).cfa.edges for a in e.accesses if a.variable.endswith(".v")}
                for name in ("wa", "wb"))
    return one, two


APART = [
    "while (any()) add(&a); while (any()) add(&b);",
    "while (any()) a = make(a); while (any()) b = make(b);",
    "add(&a); add(&a); add(&b);",
]
TOGETHER = [
    "while (any()) add(&a); while (any()) add(&b); if (any()) a = b;",
    "while (any()) add(&a); while (any()) add(&b); if (a && b) a->next = b;",
    "while (any()) add(any() ? &a : &b);",
    "add(&a); b = a;",
]


@pytest.mark.parametrize("start", APART)
def test_two_lists_by_the_same_functions_are_two(tmp_path: Path, start: str) -> None:
    one, two = nodes(tmp_path, start)
    assert one and two and not one & two


@pytest.mark.parametrize("start", TOGETHER)
def test_lists_that_meet_are_not_told_apart(tmp_path: Path, start: str) -> None:
    one, two = nodes(tmp_path, start)
    assert one & two


def test_a_function_that_calls_itself_has_no_copies(tmp_path: Path) -> None:
    deep = "static void grow(struct node **l, int n) { if (n) { add(l); grow(l, n - 1); } }"
    one, two = nodes(tmp_path, "grow(&a, any()); grow(&b, any());", deep)
    assert one and two and one & two


def test_nor_has_one_that_pointers_lead_to(tmp_path: Path) -> None:
    pointer = "static void (*how)(struct node **) = add;"
    one, two = nodes(tmp_path, "how(&a); how(&b);", pointer)
    assert one and two and one & two
