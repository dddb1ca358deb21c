"""The parts of assume-guarantee checking on their own: closures, start states, flows, conditions, exclusion."""

from __future__ import annotations

from pathlib import Path

from circ.guarantee.conditions import ObligationKind, ThreadConditions
from circ.guarantee.exclusion import places, unproved_exclusion
from circ.guarantee.formulas import AnnotatedProgram, closure, false_at_start, obligations, said
from circ.guarantee.thread_flow import thread_flow, unrolled
from circ.guarantee.thread_states import ThreadStates
from circ.smt import Encoder
from circ.verdict import Assertions, RaceOn
from frontend import LoadOptions, load
from frontend.program import Binary, Program
from tests.support.build import condition, program, thread, variable

SCOPE = {v.name: v for v in map(variable, ["x", "y", "z"])}


def two_threads(declared: str, one: str = "", two: str = "") -> str:
    return f"{declared}\ncirc_threads(1) void one(void) {{ {one} }}\ncirc_threads(1) void two(void) {{ {two} }}\n"


def read(tmp_path: Path, text: str) -> Program:
    path = tmp_path / "a.c"
    path.write_text("#include <circ_locks.h>\n" + text)
    return load(path, LoadOptions(contracts=True))


def conditions(p: Program, name: str, tag: str = "1", encoder: Encoder | None = None) -> ThreadConditions:
    annotated = AnnotatedProgram.of(p)
    flow, covers = thread_flow(p.template(name), 3)
    assert covers
    closures = {t.name: closure(annotated, t) for t in p.templates}
    return ThreadConditions(ThreadStates(annotated, p.template(name), flow, closures, f"{name}.{tag}", encoder))


# --------------------------------------------------------------------------------------------------- formulas
def test_an_implication_of_a_conjunction_is_two() -> None:
    cond = condition("x == 0 or (y == 0 and z == 0)", SCOPE)
    assert len(obligations(cond)) == 1  # only `!a || b` is an implication
    cond = condition("(not x == 0) or (y == 0 and z == 0)", SCOPE)
    found = obligations(cond)
    assert len(found) == 2 and all(isinstance(c, Binary) and c.op == "||" for c in found)
    assert [said(c) for c in found] == ["x == 0 ==> y == 0", "x == 0 ==> z == 0"]


def test_what_survives_any_number_of_steps(tmp_path: Path) -> None:
    """`x' >= x` is transitive and stays; "the same or one more" holds of one step and not of two; `x' > x` excludes doing nothing."""
    p = read(tmp_path, two_threads("int x;\n//@ assumes x' >= x && (x' == x || x' == x + 1);", "x = 0;"))
    found = closure(AnnotatedProgram.of(p), p.template("one"))
    assert "x' >= x" in {said(c) for c in found.kept} and found.dropped and not found.irreflexive
    p = read(tmp_path, two_threads("int x;\n//@ assumes x' > x;", "x = 0;"))
    assert [said(c) for c in closure(AnnotatedProgram.of(p), p.template("one")).irreflexive] == ["x' > x"]


def test_invariants_at_the_start() -> None:
    for text, broken in (("x == 0", False), ("x == 1", True), ("y <= 5", True)):
        p = program("x y:u8=*", thread("w", "0 1 x = 0", count=1), invariants=[text])
        assert (false_at_start(p, p.invariants[0]) is not None) == broken, text


# --------------------------------------------------------------------------------------------------- flows
def test_a_loop_without_an_invariant_is_unrolled_and_not_covered() -> None:
    straight, loop = thread("s", "0 1 x = 1 / 1 2 x = 2", count=1), thread("l", "0 1 x = 1 / 1 0 x = 2", count=1)
    p = program("x", straight, loop)
    assert thread_flow(p.template("s"), 3)[1]
    flow, covers = thread_flow(p.template("l"), 3)
    assert not covers and max(n.iteration for n in flow.nodes) == 3
    assert all(a.source < a.target for a in flow.arcs), "arcs follow the order of the nodes"
    assert len(unrolled(p.template("l").cfa, 1).nodes) < len(flow.nodes)


# --------------------------------------------------------------------------------------------------- conditions
def test_a_step_has_to_keep_what_others_assume(tmp_path: Path) -> None:
    declared = "int x;\n//@ assumes x' >= x;"
    assert conditions(read(tmp_path, two_threads(declared, two="x = 0;")), "two").failure() is not None
    tested = conditions(read(tmp_path, two_threads(declared, two="if (x < 5) x = 5;")), "two")
    # Others may have raised x between the test and the step: the condition fails, and says so at the assumption.
    failure = tested.failure()
    assert failure is not None and failure.kind is ObligationKind.RELY and failure.decided and failure.other == "one"
    at_once = conditions(read(tmp_path, two_threads(declared, two="atomic { if (x < 5) x = 5; }")), "two")
    assert at_once.failure() is None


def test_an_assertion_fails_only_where_others_may_interfere(tmp_path: Path) -> None:
    kept, raised = (two_threads(f"int x;\n//@ assumes {rely};", "x = 1; assert(x == 1);") for rely in ("x' == x", "x' >= x"))
    # `x = 1` itself may break what the other one assumes, so only it is asked what holds at the assertion.
    assert conditions(read(tmp_path, kept.replace("x = 1;", "if (x == 1)")), "one").failure() is None
    failure = conditions(read(tmp_path, raised.replace("x = 1;", "if (x == 1)")), "one").failure()
    assert failure is not None and failure.kind is ObligationKind.ASSERT
    assert any(name == "x" and before is not None and before > 1 for name, before, _ in failure.state)


# --------------------------------------------------------------------------------------------------- exclusion
def test_places_that_must_exclude_each_other() -> None:
    w, single = thread("w", "0 1 x = 1 / 1 2 l = x", "l", 2), thread("s", "0 1 x = 2", count=1)
    pairs = list(places(program("x", w, single), RaceOn("x")))
    assert {(a.template, a.location, b.template, b.location) for a, b in pairs} == {
        ("w", 0, "w", 0), ("w", 0, "w", 1), ("w", 1, "w", 0), ("s", 0, "w", 0), ("s", 0, "w", 1)}
    critical = program("x", thread("w", "0 1 x = 1", count=2, critical={1}))
    assert [(a.location, b.location) for a, b in places(critical, Assertions())] == [(1, 1)]


def test_a_lock_with_its_owner_excludes_and_no_lock_does_not(tmp_path: Path) -> None:
    declared = "int mx, x;\n//@ assumes mx == \\tid ==> mx' == \\tid && x' == x;"
    for step, excluded in (("acq(mx); x = 1; rel(mx);", True), ("acq(mx); rel(mx); x = 1;", False)):
        p = read(tmp_path, two_threads(declared, "acq(mx); x = 2; rel(mx);", step))
        encoder = Encoder(p.ints)
        one, two = conditions(p, "one", encoder=encoder), conditions(p, "two", encoder=encoder)
        one.failure()
        two.failure()
        [x] = [v.name for v in p.globals if v.shown == "x" or v.name == "x"]
        found, asked = unproved_exclusion(p, RaceOn(x), two.states, one.states)
        assert asked and (found is None) == excluded
