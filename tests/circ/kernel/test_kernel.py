"""The kernel accepts hand-written proofs of programs that are safe, and says what a bad one fails."""

from __future__ import annotations

from dataclasses import replace

import pytest

from circ.kernel import certificate
from circ.kernel.certificate import Accepted, Kernel, Refused, check_certificate
from circ.smt import SatResult, Solver
from circ.verdict import Assertions, Certificate, Question, RaceOn
from frontend.program import Assumption, Ground, Program, Self, Values, Variable
from tests.support.build import INT, program, thread
from tests.support.kernel.write import Formula, both, pairs

FIGURE_1 = """
    0 1 skip
    1 2 old = state
    2 3 [state == 0]
    2 4 [state != 0]
    3 4 state = 1
    4 5 [old == 0]
    4 0 [old != 0]
    5 6 x = x + 1
    6 0 state = 0
"""


def accepted(p: Program, q: Question, c: Certificate) -> Accepted:
    outcome = check_certificate(p, q, c)
    assert isinstance(outcome, Accepted), str(outcome)
    return outcome


def refused(p: Program, q: Question, c: Certificate) -> Refused:
    outcome = check_certificate(p, q, c)
    assert isinstance(outcome, Refused)
    return outcome


Rows = dict[tuple[int, ...], Formula]


def figure_1(ints: str = "exact", atomic: frozenset[int] = frozenset({1, 2, 3})) -> tuple[Program, Rows]:
    """Test-and-set: who has old == 0 at 4, 5, 6 holds the token, and then state == 1 and nobody else has it."""
    p = program("x state", thread("worker", FIGURE_1, "old=*", atomic=atomic), ints=ints)
    holds = {0: None, 4: "old@{} == 0", 5: True, 6: True}
    inside = {1: (), 2: ("old@1 == state",), 3: ("old@1 == 0", "state == 0")}
    rows: Rows = {}
    for q, mine in holds.items():
        for r, other in holds.items():
            dnf = []
            for i in (False, True):
                for j in (False, True):
                    if (i and j) or any(can is (None if has else True) for has, can in ((i, mine), (j, other))):
                        continue
                    c = ["state == 1"] if i or j else []
                    c += [f"old@1 {'==' if i else '!='} 0"] if mine is not None else []
                    c += [f"old@2 {'==' if j else '!='} 0"] if other is not None else []
                    dnf.append(c)
            rows[0, q, 0, r] = dnf
            for h in inside:
                rows[0, q, 0, r, 0, h] = dnf
        for h, facts in inside.items():
            alone = [list(facts)] if mine is not True else []
            if mine == "old@{} == 0":
                alone = [[*facts, "old@2 != 0"]]
            took = [] if h == 3 or mine is None else [[*facts, "state == 1", "old@2 == 0"]]
            rows[0, h, 0, q] = alone + took
            rows[0, q, 0, h] = [[f.replace("@2", "@#").replace("@1", "@2").replace("@#", "@1") for f in c] for c in alone + took]
    return p, rows


@pytest.mark.parametrize("ints", ["exact", "math"])
@pytest.mark.parametrize("variable", ["x", "state"])
def test_figure_1_is_proved(ints: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificate, "_BEGUN", {})
    p, rows = figure_1(ints)
    outcome = accepted(p, RaceOn(variable), pairs(p, RaceOn(variable), rows))
    assert outcome.assumptions == () and outcome.queries > 0


@pytest.mark.parametrize("atomic", [frozenset[int](), frozenset({2, 3})])
def test_figure_1_without_its_atomic_section_is_not(atomic: frozenset[int]) -> None:
    p, rows = figure_1(atomic=atomic)
    assert refused(p, RaceOn("x"), pairs(p, RaceOn("x"), rows))


def test_every_row_of_figure_1_is_needed() -> None:
    """Rows that stand for reachable states cannot be missing; each of them is asked for by some obligation."""
    p, rows = figure_1()
    q = RaceOn("x")
    for where in rows:
        taken = len(where) == 6 and where[5] == 3 and {5, 6} & {where[1], where[3]}  # state is 0 at 3: nobody has it
        if rows[where] and not taken:
            assert refused(p, q, pairs(p, q, {w: f for w, f in rows.items() if w != where})), where


MUTEX = "0 1 [m == 0]; m = 1 / 1 2 x = 1 / 2 0 m = 0"


def test_a_mutex_with_classes() -> None:
    """Locations 1 and 2 hold the lock: one class."""
    p = program("x m", thread("a", "!" + MUTEX))
    rows: Rows = {(0, 0, 0, 0): True, (0, 0, 0, 1): "m == 1", (0, 1, 0, 0): "m == 1"}
    accepted(p, RaceOn("x"), pairs(p, RaceOn("x"), rows, classes=[[0, 1, 1]]))
    # "m == 1" on one side only is no invariant: both orientations are checked.
    wrong = refused(p, RaceOn("x"), pairs(p, RaceOn("x"), {**rows, (0, 1, 0, 0): "m == 0"}, classes=[[0, 1, 1]]))
    assert wrong.obligation in ("S1", "S2") and "a in class" in wrong.where


def test_a_proof_for_several_variables_is_inductive_once_and_judged_for_each() -> None:
    """What is outside the lock stays refused, however often and after whatever else it is asked for."""
    text = "0 1 [m == 0]; m = 1 / 1 2 x = 1 / 2 3 m = 0 / 3 4 y = 1 / 4 0 z = 1"
    p = program("x y z m", thread("a", text))
    held = {1, 2}
    rows: Rows = {(0, q, 0, r): "m == 1" if q in held or r in held else True
                  for q in range(5) for r in range(5) if not held >= {q, r}}
    kernel = Kernel(p)
    for asked in ("y", "y", "x", "z", "y", "x"):
        q = RaceOn(asked)
        outcome = kernel.check(q, pairs(p, q, rows))
        if asked == "x":
            assert isinstance(outcome, Accepted), str(outcome)
        else:
            assert isinstance(outcome, Refused) and outcome.obligation == "Race"
    certificate._BEGUN.clear()
    first, again = (k.check(RaceOn("x"), pairs(p, RaceOn("x"), rows)) for k in (Kernel(p), kernel))
    assert isinstance(first, Accepted) and isinstance(again, Accepted) and again.queries < first.queries


def test_a_mutex_is_a_critical_section() -> None:
    p = program("x m", thread("a", MUTEX, critical={1, 2}))
    rows: Rows = {(0, 0, 0, 0): True, (0, 0, 0, 1): "m == 1", (0, 1, 0, 0): "m == 1"}
    accepted(p, Assertions(), pairs(p, Assertions(), rows, classes=[[0, 1, 1]]))
    open_ = program("x m", thread("a", "0 1 m = 1 / 1 0 m = 0", critical={1}))
    all_true: Rows = {(0, i, 0, j): True for i in (0, 1) for j in (0, 1)}
    assert refused(open_, Assertions(), pairs(open_, Assertions(), all_true)).obligation == "Critical"


TASK = "0 1 [busy == 1] / 1 2 x = 2 / 2 0 busy = 0"
HANDLER = "0 1 [busy == 0] / 1 2 x = 1 / 2 0 busy = 1"


def test_two_templates_of_count_one() -> None:
    """A split-phase handler and task: the flag says whose turn it is."""
    p = program("x busy", thread("handler", HANDLER, count=1), thread("task", TASK, count=1))
    rows: Rows = {(0, 0, 1, 0): [["busy == 0"], ["busy == 1"]], (0, 1, 1, 0): "busy == 0", (0, 0, 1, 1): "busy == 1"}
    c = pairs(p, RaceOn("x"), both(rows), classes=[[0, 1, 1], [0, 1, 1]])
    accepted(p, RaceOn("x"), c)
    crowd = replace(p, templates=(p.templates[0], replace(p.templates[1], count=2)))
    moved = replace(c, program=crowd.fingerprint())
    assert refused(crowd, RaceOn("x"), moved).obligation in ("Init", "S1", "T1")


def test_the_same_for_any_number_of_handlers_is_refused_for_lack_of_facts() -> None:
    p = program("x busy", thread("handler", HANDLER), thread("task", TASK, count=1))
    rows: Rows = {(0, 0, 1, 0): True, (0, 1, 1, 0): "busy == 0", (0, 0, 1, 1): "busy == 1",
                                            (0, 0, 0, 0): True, (0, 1, 0, 0): True, (0, 1, 0, 1): True}
    assert refused(p, RaceOn("x"), pairs(p, RaceOn("x"), both(rows), classes=[[0, 1, 1], [0, 1, 1]]))


def test_one_thread_has_unary_facts() -> None:
    p = program("x y", thread("main", "0 1 x = 1 / 1 2 y = x + 1 / 2 3 [y != 2] / 2 0 [y == 2]", count=1, errors={3}),
                invariants=["y < 3"])
    rows: Rows = {(0, 0): [["y == 0"], ["y == 2"]], (0, 1): [["x == 1", "y == 0"], ["x == 1", "y == 2"]], (0, 2): "y == 2"}
    accepted(p, Assertions(), pairs(p, Assertions(), rows))
    assert refused(p, Assertions(), pairs(p, Assertions(), {**rows, (0, 2): "y < 3"})).obligation == "S1"
    assert refused(p, Assertions(), pairs(p, Assertions(), {**rows, (0, 3): True})).obligation == "Error"
    # No two threads, no race: nothing to prove.
    accepted(p, RaceOn("x"), pairs(p, RaceOn("x"), {}))


def test_what_two_threads_have_to_know_while_a_third_is_in_its_atomic_section() -> None:
    """Inside its section the third breaks m and mends it: K says that m is unknown there, P that it is 0."""
    p = program("x m", thread("a", "0 1 [m != 0] / 1 0 x = 1"), thread("c", "0 1 m = 1 / 1 0 m = 0", count=1, atomic={1}))
    quiet: Rows = {(0, 0, 0, 0): "m == 0", (0, 0, 1, 0): "m == 0", (0, 0, 1, 1): True,
                                             (0, 0, 0, 0, 1, 1): True}
    accepted(p, RaceOn("x"), pairs(p, RaceOn("x"), both(quiet)))
    del quiet[0, 0, 0, 0, 1, 1]
    assert refused(p, RaceOn("x"), pairs(p, RaceOn("x"), both(quiet))).obligation == "T1"


def owner(count: int | None, offset: int, spoiled: bool = False) -> Program:
    """A lock by owner id: free is 0, who holds it has put its own number there."""
    edges = "!0 1 [o == 0]; o = me / 1 2 [o == me] / 2 3 x = 1 / 3 0 o = 0" + (" / 0 0 me = 1" if spoiled else "")
    p = program("x o", thread("a", edges, "me", count=count))
    t = p.templates[0]
    return replace(p, templates=(replace(t, locals=(Variable("me", INT, start=Self(offset)),)),))


OWNER_ROWS: Rows = {
    (0, 0, 0, 0): [["o == 0"], ["o != me@1", "o != me@2"]], (0, 1, 0, 0): "o == me@1", (0, 2, 0, 0): "o == me@1",
    (0, 3, 0, 0): "o == me@1"}


def test_thread_numbers_differ_and_are_below_the_count() -> None:
    q = RaceOn("x")
    for count in (2, 3, 40):
        accepted(owner(count, 1), q, pairs(owner(count, 1), q, both(OWNER_ROWS)))
    # With numbers from 0 the free lock looks like thread 0's.
    assert refused(owner(2, 0), q, pairs(owner(2, 0), q, both(OWNER_ROWS)))
    # A number that the program changes is a number no more.
    assert refused(owner(2, 1, spoiled=True), q, pairs(owner(2, 1, spoiled=True), q, both(OWNER_ROWS)))


def test_an_unbounded_number_of_distinct_numbers_is_an_assumption() -> None:
    p = owner(None, 1)
    q = RaceOn("o")
    rows: Rows = {(0, i, 0, j): True for i in range(4) for j in range(4)}
    p = replace(p, templates=(replace(p.templates[0], cfa=replace(p.templates[0].cfa, edges=p.templates[0].cfa.edges[:1])),))
    assert accepted(p, q, pairs(p, q, rows)).assumptions == (Assumption(f"at most {(1 << 31) - 1} threads of a run", ground=Ground.BOUNDED),)


READERS = """
    !0 1 [w == 0]; r = r + 1
    1 2 t = x
    !2 0 r = r - 1
    !0 3 [w == 0]; w = 1
    !3 4 [r == 0]
    4 5 x = 1
    !5 0 w = 0
"""
READING, WAITING, WRITING = 1, 2, 3


def readers(ints: str = "exact", count: int | None = None) -> tuple[Program, Rows, list[list[int]]]:
    p = program("x w r", thread("a", READERS, "t=*", count=count), ints=ints)
    rows: Rows = {
        (0, 0, 0, 0): True, (0, READING, 0, 0): True, (0, READING, 0, READING): True, (0, WAITING, 0, 0): "w == 1",
        (0, WAITING, 0, READING): "w == 1", (0, WRITING, 0, 0): [["w == 1", "r == 0"]]}
    return p, both(rows), [[0, READING, READING, WAITING, WRITING, WRITING]]


def test_a_reader_counter_is_proved_by_counting() -> None:
    q = RaceOn("x")
    p, rows, classes = readers("math")
    counting = [("r", [[0, 1, 0, 0]])]
    assert accepted(p, q, pairs(p, q, rows, classes, counting)).assumptions == ()
    assert refused(p, q, pairs(p, q, rows, classes)), "without the count the writer meets a reader"
    p, rows, classes = readers()
    limit = Assumption(f"at most {(1 << 31) - 1} threads run", ground=Ground.BOUNDED)
    assert accepted(p, q, pairs(p, q, rows, classes, counting)).assumptions == (limit,)
    p, rows, classes = readers(count=5)
    assert accepted(p, q, pairs(p, q, rows, classes, counting)).assumptions == ()


@pytest.mark.parametrize(("weights", "obligation"), [
    ([[0, 2, 0, 0]], "Count"), ([[0, 1, 1, 0]], "Count"), ([[0, 0, 0, 0]], "Count"), ([[1, 1, 1, 1]], "CountInit"),
    ([[0, -1, 0, 0]], "format"), ([[0, 1 << 31, 0, 0]], "format"), ([[0, 1, 0]], "format"), ([[0, True, 0, 0]], "format"),
    ([], "format")])
def test_wrong_weights_are_refused(weights: list[list[int]], obligation: str) -> None:
    p, rows, classes = readers()
    assert refused(p, RaceOn("x"), pairs(p, RaceOn("x"), rows, classes, [("r", weights)])).obligation == obligation


def test_a_count_starts_at_zero() -> None:
    p, rows, classes = readers()
    p = replace(p, globals=tuple(replace(v, start=Values(1)) if v.name == "r" else v for v in p.globals))
    c = pairs(p, RaceOn("x"), rows, classes, [("r", [[0, 1, 0, 0]])])
    assert refused(p, RaceOn("x"), c).obligation == "CountInit"


def test_cells_of_an_array_race_only_where_indices_meet() -> None:
    p = program("a[8] n", thread("w", "0 1 n = n / 1 1 a[i] = 1", "i", count=4))
    t = p.templates[0]
    p = replace(p, templates=(replace(t, locals=(Variable("i", INT, start=Self()),)),))
    rows: Rows = {(0, i, 0, j): True for i in (0, 1) for j in (0, 1)}
    accepted(p, RaceOn("a"), pairs(p, RaceOn("a"), rows))
    whole = program("a[8]", thread("w", "0 0 a[] = *"))
    assert refused(whole, RaceOn("a"), pairs(whole, RaceOn("a"), {(0, 0, 0, 0): True})).obligation == "Race"


def test_waiting_for_all_threads_of_a_template() -> None:
    """main touches x only while every worker is done (location 2) or has not begun (0)."""
    def joining(*where: int) -> Program:
        return program("x go", thread("main", f"0 1 all worker {' '.join(map(str, where))}; go = 1 / 1 2 x = 1", count=1),
                       thread("worker", "0 1 [go == 0] / 1 2 [x == 0]"))
    rows: Rows = {
        (0, 0, 1, 0): True, (0, 0, 1, 1): True, (0, 0, 1, 2): True, (1, 0, 1, 0): True, (1, 0, 1, 1): True, (1, 0, 1, 2): True,
        (1, 1, 1, 1): True, (1, 1, 1, 2): True, (1, 2, 1, 2): True}
    for q in (1, 2):
        rows |= {(0, q, 1, 0): "go == 1", (0, q, 1, 2): "go == 1"}
    p = joining(0, 2)
    accepted(p, RaceOn("x"), pairs(p, RaceOn("x"), both(rows)))
    late = joining(0, 1, 2)
    assert refused(late, RaceOn("x"), pairs(late, RaceOn("x"), both(rows))).obligation in ("S1", "S2")


def test_a_thread_that_starts_at_an_atomic_location_is_refused() -> None:
    """The proof rests on at most one thread ever being at an atomic location; here two are, and both write x."""
    p = program("x", thread("a", "0 0 x = 1", atomic={0}))
    assert "atomic" in refused(p, RaceOn("x"), pairs(p, RaceOn("x"), {(0, 0, 0, 0): True})).detail


def test_a_solver_that_gives_up_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    p, rows = figure_1()
    monkeypatch.setattr(Solver, "check", lambda self, *assumptions: SatResult.UNKNOWN)
    monkeypatch.setattr("circ.kernel.prover.decide_apart", lambda terms, effort: SatResult.UNKNOWN)
    assert refused(p, RaceOn("x"), pairs(p, RaceOn("x"), rows)).detail == "the solver gave up"


def test_threads_that_need_not_exist_cannot_be_waited_for() -> None:
    """With no worker at all main reaches the error, though beside any worker it would wait for ever."""
    p = program("x", thread("main", "0 1 all worker 1", count=1, errors={1}), thread("worker", "0 0 skip / 1 1 skip"))
    rows: Rows = {(0, 0, 1, 0): True, (1, 0, 1, 0): True}
    assert refused(p, Assertions(), pairs(p, Assertions(), both(rows))).obligation == "count"
    one = replace(p, templates=(p.templates[0], replace(p.templates[1], count=1)))
    accepted(one, Assertions(), pairs(one, Assertions(), both(rows)))


def test_integers_of_the_program_are_those_of_the_proof() -> None:
    """A counter that wraps at 8 bits: with exact integers the fact is not inductive, with mathematical ones it is."""
    grown = program("x n:u8=1", thread("a", "!0 0 n = n + 1 / 0 1 [n == 0] / 1 1 x = 1"), ints="math")
    accepted(grown, RaceOn("x"), pairs(grown, RaceOn("x"), {(0, 0, 0, 0): "n >= 1"}))
    wrapping = replace(grown, ints="exact")
    assert refused(wrapping, RaceOn("x"), pairs(wrapping, RaceOn("x"), {(0, 0, 0, 0): "n >= 1"}))


def test_a_certificate_is_bound_to_program_and_question() -> None:
    p, rows = figure_1()
    c = pairs(p, RaceOn("x"), rows)
    assert refused(p, RaceOn("state"), c).obligation == "question"
    for other in (replace(p, race_model="c11"), replace(p, ints="math"), replace(p, preemption="nested"),
                  replace(p, data_model="ip16"), replace(p, templates=(replace(p.templates[0], count=2),))):
        assert refused(other, RaceOn("x"), c).obligation == "program"
    assert refused(p, RaceOn("x"), replace(c, kind="trust me")).obligation == "format"
    nobody = RaceOn("nobody")
    assert refused(p, nobody, replace(c, question=nobody)).obligation == "program"
