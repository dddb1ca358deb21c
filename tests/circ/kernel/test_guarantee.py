"""The kernel's check of assume-guarantee proofs: with an obligation left out it accepts a wrong program, whole it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from circ.kernel.guarantee import guarantee
from circ.kernel.guarantee import loop_cuts as flows
from circ.kernel.guarantee.guarantee import GuaranteeCheck, check_guarantee
from circ.kernel.guarantee.loop_cuts import Forgotten, NodeRole, Shape, flow
from circ.kernel.outcome import Accepted, Refused
from circ.search.explicit import oracle
from circ.verdict import Assertions, Question, RaceOn
from frontend import LoadOptions, load
from frontend.annotations.attached import TID
from frontend.program import Assign, Const, Edge, Program, Scalar, Var
from frontend.program.exact import show_exact

INT = Scalar(32, True)


def loaded(tmp_path: Path, text: str) -> Program:
    path = tmp_path / "a.c"
    path.write_text("#include <circ_locks.h>\n" + text)
    return load(path, LoadOptions(contracts=True))


def closures(program: Program) -> tuple[tuple[object, ...], ...]:
    return tuple(tuple(r.cond for r in program.relies if r.template == t.name) for t in program.templates)


def lacking(name: str) -> type[GuaranteeCheck]:
    return type(f"Without{name}", (GuaranteeCheck,), {name: lambda self: None})


LOCK = "int m, x;\n//@ assumes m == \\tid ==> m' == \\tid && x' == x;\n"


def renumbered(tmp_path: Path) -> Program:
    """The second thread takes on the number of the first."""
    program = loaded(tmp_path, LOCK + """
        circ_threads(1) void one(void) { acq(m); x = 1; assert(x == 1); rel(m); }
        circ_threads(1) void two(void) { assume(m == circ_tid()); x = 0; }
    """)
    one, two = program.templates
    cfa = two.cfa
    change = Edge(cfa.size, cfa.start, Assign(Var(TID, INT), Const(1, INT)))
    return replace(program, templates=(one, replace(two, cfa=replace(cfa, size=cfa.size + 1, start=cfa.size, edges=(change, *cfa.edges)))))


CASES: dict[str, tuple[str | Callable[[Path], Program], Question]] = {
    "identity": (renumbered, Assertions()),
    "initial": ("int x;\n//@ invariant x == 1;\ncirc_thread void f(void) { assert(x == 1); }", Assertions()),
    "closure": ("int x;\ncirc_threads(1) void one(void) { assert(x == 0); }\ncirc_threads(1) void two(void) { x = 1; }", Assertions()),
    "guarantee": (LOCK + "circ_threads(1) void one(void) { acq(m); x = 1; assert(x == 1); rel(m); }\n"
                  "circ_threads(1) void two(void) { x = 0; }", Assertions()),
    "meeting": ("int x;\ncirc_thread void f(void) { x = 1; }", RaceOn("x")),
}


@pytest.mark.parametrize("name", list(CASES))
def test_every_obligation_is_needed(name: str, tmp_path: Path) -> None:
    made, question = CASES[name]
    program = loaded(tmp_path, made) if isinstance(made, str) else made(tmp_path)
    assert oracle(program, question, 2) is True
    claimed = closures(program)
    if name == "closure":
        same = show_exact(loaded(tmp_path, "int x;\n//@ assumes x' == x;\ncirc_thread void f(void) { x = x; }").relies[0].cond)
        body = {"closures": [[same], [same]]}
        assert isinstance(check_guarantee(program, question, body), Refused)
        claimed = guarantee._read(program, body)
    assert isinstance(lacking(name)(program, question, claimed).outcome(), Accepted)  # type: ignore[arg-type]
    refused = GuaranteeCheck(program, question, claimed).outcome()  # type: ignore[arg-type]
    assert isinstance(refused, Refused) and refused.obligation == name


def test_a_loop_forgets_what_it_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = loaded(tmp_path, """
        int x;
        circ_thread void f(void) {
            int i = 0;
            //@ loop invariant \\true;
            while (i < 3) i = i + 1;
            assert(i == 0);
        }
    """)
    body = {"closures": [[]]}
    assert isinstance(check_guarantee(program, Assertions(), body), Refused)
    monkeypatch.setattr(flows.Shape, "_forgotten", lambda self, points: Forgotten(frozenset(), False))
    assert isinstance(check_guarantee(program, Assertions(), body), Accepted)


def test_a_call_forgets_what_the_function_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = loaded(tmp_path, """
        int x;
        //@ ensures \\true;
        static int next(int n) { n = n + 1; return n; }
        circ_thread void f(void) { int a = next(1); int b = next(a); assert(a == b); }
    """)
    body = {"closures": [[]]}
    assert isinstance(check_guarantee(program, Assertions(), body), Refused)
    monkeypatch.setattr(flows.Shape, "called", lambda self, entry, call: Forgotten(frozenset(), False))
    assert isinstance(check_guarantee(program, Assertions(), body), Accepted)


def test_a_loop_without_an_invariant_is_refused(tmp_path: Path) -> None:
    program = loaded(tmp_path, "int x;\ncirc_thread void f(void) { x = 1; while (x) x = 0; }")
    outcome = check_guarantee(program, Assertions(), {"closures": [[]]})
    assert isinstance(outcome, Refused) and "without an invariant" in outcome.detail


def test_a_function_is_one_piece_for_all_its_calls(tmp_path: Path) -> None:
    """Three calls, one of them from another function: each body is there once, and every call has its own way back."""
    program = loaded(tmp_path, """
        int x;
        //@ ensures \\result >= 0;
        static int low(int n) { if (n < 0) return 0; return n; }
        //@ requires n >= 0;
        //@ ensures \\result >= n;
        static int high(int n) { int k = low(n); return k + n < n ? n : n; }
        circ_thread void f(void) { int a = low(3); int b = high(a); int c = high(7); assert(b >= 0 && c >= 7); }
    """)
    shape = Shape(program.templates[0].cfa)
    assert sorted(len(p.calls) for p in shape.procedures.values()) == [2, 2]
    made = flow(program.templates[0].cfa)
    assert not made.open
    assert sum(node.role is NodeRole.HOLD for node in made.nodes) == 2 + 4
    assert isinstance(check_guarantee(program, Assertions(), {"closures": [[]]}), Accepted)
