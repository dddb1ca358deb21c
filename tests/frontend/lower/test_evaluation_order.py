"""The order of evaluation: left to right where C leaves it open, and told where that could matter."""

from __future__ import annotations

from pathlib import Path

import pytest

import circ
import frontend
from circ.verdict import Refuted
from frontend.lower.unit import ORDER
from frontend.lower.units import load_units
from frontend.program import LP64
from frontend.text.parse import SourceOptions, parse

HEAD = """#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t m; int x, y, a[8]; _Atomic int flag; int *p; struct { int n; _Atomic int ready; } s;
int change(void) { x++; return 1; }
int use(int i, int j);
extern int strange(int);
struct stack { int n, a[8], *rows[8]; } *at, *other;
int reads(void) { return x; }
int counts(void) { static int n; return n++; }
int follows(int *at) { return *at; }
int waits(int i) { return i + pthread_mutex_lock(&m); }
int again(int i) { return i ? again(i - 1) : 0; }
int calls(int (*f)(void)) { return f(); }
int mixed(int i) { for (int k = 0; k < 3; k++) i = i * 5 + k; return i; }
int twice(int i) { return mixed(mixed(i)); }
"""

OPEN = [
    "use(pthread_mutex_lock(&m), x++);",
    "use(x++, pthread_mutex_unlock(&m));",
    "y = x + change();",
    "a[change()] = x;",
    "use(flag = 1, x);",
    "use(x = 2, s.ready++);",
    "use(atomic_fetch_add(&flag, 1), y);",
    "int i = 0; y = i + i++;",
    "int i = 0; a[i] = i++;",
    "(change(), x) + (y = x, 1);",
    "at->a[(at = other)->n] = 1;",
    "use(reads(), pthread_mutex_unlock(&m));",
    "y = x + counts();",
    "use(follows(&x), x++);",
    "y = waits(1) + x;",
    "y = x + calls(change);",
]
SETTLED = [
    "y = x + again(2);",
    "x = 1; y = x + 2;",
    "use(x, y);",
    "change() && x++;",
    "change() || x++;",
    "change() ? x++ : y--;",
    "change(), x++;",
    "int i = 0, j = 0; y = i++ + j++;",
    "y = strange(1) + 2;",
    "int i = 0; i = i + 1; a[i] = x;",
    "y = atomic_load(&flag) + x;",
    "a[twice(x) & 7] = mixed(y) + a[twice(1) & 7];",
    "y = (long)pthread_self() + x;",
    "y = at->a[at->n++];",
    "y = at->rows[at->n++][0];",
    "at->a[--at->n] = x;",
]


def told(tmp_path: Path, body: str) -> bool:
    path = tmp_path / "p.c"
    path.write_text(f"{HEAD}void w(void) {{ {body} }}\nint main(void) {{ return x; }}\n")
    return any(ORDER in a.text for a in frontend.load(path, frontend.LoadOptions(threads=("w",))).assumptions)


def test_a_local_of_an_inner_block_is_not_the_global_of_its_name(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("int g; int next(void) { { int g; g = 1; } return ++g; }\nvoid w(void) { int y = next() + g; }\n")
    program = frontend.load(path, frontend.LoadOptions(threads=("w",)))
    assert any(ORDER in a.text for a in program.assumptions)


def test_functions_that_call_each_other_are_looked_at_once_each(tmp_path: Path) -> None:
    """Each calls two of the next row: as many ways as 2 to the 200 lead to the last one."""
    rows = 200
    functions = ["static int f0(int a) { return a; } static int g0(int a) { return a; }"]
    functions += [f"static int f{n}(int a) {{ return f{n - 1}(a) + g{n - 1}(a); }} static int g{n}(int a) {{ return f{n - 1}(a); }}"
                  for n in range(1, rows)]
    path = tmp_path / "p.c"
    path.write_text("\n".join([*functions, f"int x; void w(void) {{ x = f{rows - 1}(1) + x; }}\n"]))
    [module] = load_units([parse(str(path), SourceOptions())], LP64)
    module.function("w")
    assert not any(ORDER in text for text, _ in module.assumptions)


@pytest.mark.parametrize("body", OPEN)
def test_an_order_that_could_matter_is_told(tmp_path: Path, body: str) -> None:
    assert told(tmp_path, body)


@pytest.mark.parametrize("body", SETTLED)
def test_where_c_says_the_order_or_nothing_depends_on_it_nothing_is_said(tmp_path: Path, body: str) -> None:
    assert not told(tmp_path, body)


@pytest.mark.parametrize(("body", "value"), [
    ("int i = 1; y = i * 10 + (i = 2);", 12),
    ("int i = 1; a[i] = (i = 5); y = a[1];", 5),
    ("int i = 3; y = i - (i++, i);", -1),
    ("x = 4; y = x * 10 + change();", 41),
])
def test_what_stands_left_is_evaluated_first(tmp_path: Path, body: str, value: int) -> None:
    path = tmp_path / "p.c"
    path.write_text(f"#include <assert.h>\n{HEAD}int main(void) {{ {body} assert(y == {value}); assert(y != {value}); return 0; }}\n")
    (answer,) = circ.check(frontend.load(path), engine="explicit", prop="asserts").answers
    assert isinstance(answer.verdict, Refuted)
    last = answer.verdict.trace.steps[-1]
    program = frontend.load(path)
    error = program.templates[0].cfa.errors[program.templates[0].cfa.edges[last.edge].target]
    assert f"y != {value}" in error.text, "the first assertion holds, the second does not"
