"""Pointers from outside where there is much that they may point to: one step touches all of it, and is in doubt."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.static.prover import Static
from circ.verdict import Options, RaceOn, Safe, silent
from frontend import load
from frontend.program import Program, op_writes

ACCESSES = {
    "load": "n = *p;",
    "store": "*p = n;",
    "library": "memset(p, n, k);",
    "unknown function": "work(p);",
}


def program(tmp_path: Path, access: str, objects: int, times: int = 1) -> Program:
    """`times` accesses through a pointer that a function without a body gives, which may know `objects` arrays of struct."""
    path = tmp_path / "wild.c"
    path.write_text("#include <pthread.h>\n#include <string.h>\nint *find(void *any); void work(int *p); void keep(void *p);\n"
                    + "".join(f"struct {{ int a, b, c; }} s{n};\n" for n in range(objects))
                    + "int n; void *thread(void *x) { s0.a = 1; return 0; }\n"
                    "int main(int k, char **v) {\n"
                    + "".join(f"  keep(&s{n});\n" for n in range(objects))
                    + "  pthread_t t; pthread_create(&t, 0, thread, 0);\n  int *p = find(v);\n"
                    + f"  {access}\n" * times + "  return 0;\n}\n")
    return load(path)


@pytest.mark.parametrize("access", ACCESSES.values(), ids=ACCESSES.keys())
def test_one_step_touches_all(tmp_path: Path, access: str) -> None:
    p = program(tmp_path, access, 40)
    everything = {f"s{n}.{f}" for n in range(40) for f in "abc"}
    [main] = [t for t in p.templates if t.name == "main"]
    steps = [e for e in main.cfa.edges if everything <= {a.variable for a in e.accesses} and e.location.line > 45]
    assert steps, "there is a step with all that the pointer may lead to"
    for e in steps:
        assert any(d.accesses for d in e.doubts)
        if any(a.write for a in e.accesses):
            assert everything <= set(op_writes(e.op))


@pytest.mark.parametrize("access", ACCESSES.values(), ids=ACCESSES.keys())
def test_steps_do_not_multiply(tmp_path: Path, access: str) -> None:
    """So many more accesses take so many more steps, whatever the number of objects."""
    def edges(objects: int, times: int) -> int:
        return sum(len(t.cfa.edges) for t in program(tmp_path, access, objects, times).templates)

    few = edges(30, 21) - edges(30, 1)
    many = edges(60, 21) - edges(60, 1)
    assert few > 0 and many <= 1.2 * few


@pytest.mark.parametrize("objects", [2, 40])
def test_no_proof_forgets_it(tmp_path: Path, objects: int) -> None:
    """`*p` may be `s0.a`, with few objects and with many; `n` it may not be."""
    p = program(tmp_path, "*p = n;", objects)
    found = {name: Static()(p, RaceOn(name), Options(), silent) for name in ("s0.a", "n")}
    assert not isinstance(found["s0.a"], Safe) and isinstance(found["n"], Safe)
