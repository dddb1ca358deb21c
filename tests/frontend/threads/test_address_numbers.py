"""Which computations depend on the addresses that objects get, and which every implementation must give the same result for."""

from __future__ import annotations

from pathlib import Path

import pytest

import circ
import frontend
from circ.verdict import word
from frontend.program import Assume, primitive, reads

HEAD = """#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
int x, y, z, row[4]; char c; long w8; struct pair { int a, b; } s; int f(void); int n; pthread_t first, second;
"""

OPEN = [
    "z = &x < &y;",
    "z = (uintptr_t)&x >= (uintptr_t)&y;",
    "int *p = n ? &x : &y, *q = n > 3 ? &x : &y; z = p > q;",
    "z = ((uintptr_t)&x >> 4) % 8;",
    "uintptr_t h = (uintptr_t)&x; h ^= h >> 7; h *= 31; z = h & 15;",
    "z = (int)(uintptr_t)&x;",
    "z = ((uintptr_t)&x & 7) == 4;",
    "z = (uintptr_t)&c & 1;",
    "z = (uintptr_t)&x == 0x100000;",
    "z = ((uintptr_t)&x ^ (uintptr_t)&y) & 64;",
    "row[((uintptr_t)&x >> 3) & 3] = 1;",
    "switch ((uintptr_t)&x / 8 % 2) { case 0: z = 1; }",
    "int a, b; z = &a < &b;",
    "int *p = malloc(4), *q = malloc(4); z = p < q;",
    "z = first < second;",
    "z = first == second;",
    "z = first % 2;",
]
EXACT = [
    "z = &row[1] < &row[n];",
    "int *p; for (p = row; p < row + 4; p++) z++;",
    "z = &s.a < &s.b;",
    "z = &x == &y || &x != 0;",
    "z = (uintptr_t)&x & 3;",
    "z = (uintptr_t)&w8 % 8;",
    "uintptr_t t = (uintptr_t)&x | 1; if (t & 1) *(int *)(t & ~(uintptr_t)1) = 2;",
    "z = (unsigned long)&x >= (unsigned long)-4095L;",
    "z = &row[3] - &row[n]; n = (&row[3] - row) / 2; if (n > 5) z = n % 3;",
    "void *p = n ? (void *)&x : (void *)5; z = p == (void *)5;",
    "uintptr_t t = ((uintptr_t)&x & 0xffffffffffffUL) | (1UL << 48); z = t >> 48;",
    "z = first != 0;",
]


def doubts(tmp_path: Path, body: str) -> set[str]:
    path = tmp_path / "p.c"
    path.write_text(f"{HEAD}void *w(void *v) {{ {body} return 0; }}\n"
                    "int main(void) { pthread_create(&first, 0, w, 0); pthread_create(&second, 0, w, 0); return 0; }")
    return {d.reason for t in frontend.load(path).templates for e in t.cfa.edges for d in e.doubts}


@pytest.mark.parametrize("body", OPEN)
def test_a_result_that_the_implementation_chooses_is_in_doubt(tmp_path: Path, body: str) -> None:
    assert "which addresses objects and threads get is not tracked" in doubts(tmp_path, body)


@pytest.mark.parametrize("body", EXACT)
def test_a_result_that_is_guaranteed_is_exact(tmp_path: Path, body: str) -> None:
    assert "which addresses objects and threads get is not tracked" not in doubts(tmp_path, body)


@pytest.mark.parametrize(("body", "verdict"), [
    ("*(int *)(((uintptr_t)pool + 15) & ~(uintptr_t)15) = 1;", "unknown"),
    ("char *q = (char *)((uintptr_t)(pool + 8) & ~(uintptr_t)7); *q = 1;", "unknown"),
    ("uintptr_t d = (uintptr_t)(pool + 9) - (uintptr_t)(pool + 2); *(char *)((uintptr_t)pool + d) = 1;", "race"),
    ("uintptr_t d = (uintptr_t)pool; d = d - (uintptr_t)&x; *(char *)((uintptr_t)&x + d + 7) = 1;", "unknown"),
])
def test_an_address_that_is_made_of_a_number_may_be_any_place_of_its_object(tmp_path: Path, body: str, verdict: str) -> None:
    path = tmp_path / "p.c"
    path.write_text(f"{HEAD}char pool[64]; void *w(void *v) {{ {body} return 0; }}\n"
                    "int main(void) { pthread_create(&first, 0, w, 0); pool[7] = 2; return 0; }")
    [answer] = [a for a in circ.check(frontend.load(path)).answers if a.shown.startswith("pool")]
    assert word(answer.question, answer.verdict) in (verdict, "possible race" if verdict == "unknown" else verdict)


def test_an_address_is_the_same_number_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(f"{HEAD}void *w(void *v) {{ z = (uintptr_t)&x >> 4; return 0; }}\n"
                    "int main(void) { pthread_create(&first, 0, w, 0); n = (uintptr_t)&x >> 4; return 0; }")
    program = frontend.load(path)
    assert [v.name for v in program.globals if v.name.startswith("<address")] == ["<address of x>"]


@pytest.mark.parametrize("number", [6, 40])
def test_so_many_objects_are_told_apart(tmp_path: Path, number: int) -> None:
    """Beyond that the order of two pointers is open, and what depends on it no more than in doubt."""
    names = [f"a{n}" for n in range(number)]
    path = tmp_path / "p.c"
    path.write_text(f"{HEAD}char {', '.join(f'{name}[4]' for name in names)}; char *table[] = {{ {', '.join(names)} }};\n"
                    "int length(char *from, char *to) { int k = 0; for (char *p = from; p < to; p++) k++; return k; }\n"
                    "void *w(void *v) { return 0; }\n"
                    "int main(void) { pthread_create(&first, 0, w, 0); char *p = table[f()]; z = length(p, p + 3); }")
    program = frontend.load(path)
    sizes = [sum(1 for _ in reads(o.cond)) for t in program.templates for e in t.cfa.edges for o in primitive(e.op)
             if isinstance(o, Assume)]
    assert max(sizes) < 200
    assert (len([v for v in program.globals if v.name.startswith("<address of a")]) == number) == (number < 24)
