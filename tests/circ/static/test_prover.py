"""The static prover: what it proves, what it must not, that the kernel agrees, and its parts on their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from circ.kernel.other_kinds import check_any_kind
from circ.kernel.outcome import Accepted
from circ.search import explicit
from circ.static.arguments.joining import Joining
from circ.static.prover import Static
from circ.static.values import TOP, TrackedCells, ValueSet, join, meet, single, within
from circ.verdict import Assertions, Options, RaceOn, Refuted, Safe, Unknown, silent, subjects
from frontend import load
from frontend.program import Assume, Binary, Const, Program, Read, Scalar, Var
from tests.support.build import program as build
from tests.support.build import thread
from tests.support.corpus import PROGRAMS, Example, collect
from tests.support.randomc.automata import random_program
from tests.support.randomc.heap import heap_program
from tests.support.randomc.memory import memory_program
from tests.support.randomc.pthreads import pthread_program
from tests.test_corpus import load_options

INT = Scalar(32, True)
REFUSED = "does not hold as written"


def prove(p: Program, variable: str) -> Safe | Unknown:
    verdict = Static()(p, RaceOn(variable), Options(), silent)
    assert isinstance(verdict, Safe | Unknown)
    return verdict


# ------------------------------------------------------------------------------------------------ programs
BEHIND = ("compare_and_swap_lock", "freed_when_unlinked", "linked_items")
"""Programs that an engine behind the static prover proves, or the prover on a view of memory orders."""
THREADED = [e for e in collect(PROGRAMS / "threads", PROGRAMS / "pthreads") if e.path.stem not in BEHIND]


@pytest.mark.parametrize("example", THREADED, ids=[e.name for e in THREADED])
def test_threaded_programs(example: Example) -> None:
    """Every variable that is safe is proved without an engine behind, and none that is not."""
    p = load(example.path, load_options(example))
    wanted = {x.subject: x.verdict for x in example.expectations}
    static = Static()
    for v in subjects(p):
        said = wanted.get(v.shown)
        if said is not None:
            verdict = static(p, RaceOn(v.name), Options(), silent)
            assert isinstance(verdict, Safe) == (said == "safe"), (v.shown, verdict)


def test_variables_that_one_lock_protects_share_a_proof() -> None:
    p = build("x y z m", thread("a", "0 1 [m == 0]; m = 1 / 1 2 x = 1 / 2 3 y = 1 / 3 4 m = 0 / 4 0 z = 1"))
    static = Static()
    x, y, z = (static(p, RaceOn(v), Options(), silent) for v in "xyz")
    assert isinstance(x, Safe) and isinstance(y, Safe) and isinstance(z, Unknown)
    assert y.certificate.body == x.certificate.body
    assert isinstance(check_any_kind(p, RaceOn("y"), y.certificate), Accepted)


@pytest.mark.parametrize("order", ("xy", "yx"))
def test_a_variable_that_is_not_proved_stops_no_other_under_the_same_lock(order: str) -> None:
    p = build("x y m", thread("a", "0 1 [m == 0]; m = 1 / 1 2 x = 1 / 2 3 y = 1 / 3 4 m = 0 / 4 0 y = 2"))
    static = Static()
    found = {v: static(p, RaceOn(v), Options(), silent) for v in order}
    assert isinstance(found["x"], Safe) and isinstance(found["y"], Unknown)
    assert isinstance(check_any_kind(p, RaceOn("x"), found["x"].certificate), Accepted)
    assert "nothing static keeps" in found["y"].reason


def test_why() -> None:
    folder = PROGRAMS / "threads"
    for name, variable, words in (
        ("helper_locks", "first", "one is held at every access"),
        ("phases", "stage", "main waits until first and second have ended"),
        ("created_by_thread", "setup", "worker starts only when main has created it"),
        ("rwlock", "config", "nobody holds it for writing"),
        ("element_locks", "value[]", "that element's own lock"),
        ("semaphore_handover", "item", "the semaphore ready hands it over"),
        ("list_published_late", "malloc@producer:14.value", "one owner at a time"),
    ):
        verdict = prove(load(folder / f"{name}.c"), variable)
        assert isinstance(verdict, Safe), name
        assert any(words in sentence for sentence in verdict.why), (name, verdict.why)


def test_what_is_not_asked_about_is_not_in_the_proof() -> None:
    """A second lock and flags that have nothing to do with x leave no trace in the certificate."""
    p = build("x m n f", thread("w", """
        0 1 [m == 0]; m = 1 / 1 2 x = 1 / 2 3 m = 0 / 3 4 [n == 0]; n = 1 / 4 5 f = 1 / 5 6 n = 0 / 6 0 [f == 0] / 6 0 [f != 0]"""))
    verdict = prove(p, "x")
    assert isinstance(verdict, Safe)
    named = " ".join(verdict.certificate.body["formulas"])
    assert "m:" in named and "n:" not in named and "f:" not in named


def test_atomic_sections() -> None:
    text = "0 1 [m == 0] / 1 2 m = 1 / 2 3 x = 1 / 3 0 m = 0"
    assert isinstance(prove(build("x m", thread("w", text, atomic={1})), "x"), Safe)
    assert isinstance(prove(build("x m", thread("w", text)), "x"), Unknown)


def test_waiting_for_all() -> None:
    """The creator goes on when all workers are at their end."""
    for guard, kind in (("all w 2", Safe), ("all w 1 2", Unknown)):
        main = thread("m", f"0 1 go = 1 / 1 2 {guard} / 2 3 x = 2", count=1)
        p = build("x go", main, thread("w", "0 1 [go == 1] / 1 2 x = 1", count=1))
        assert isinstance(prove(p, "x"), kind), guard


def test_assertions_are_left_to_others() -> None:
    verdict = Static()(build("x", thread("w", "0 1 x = 1")), Assertions(), Options(), silent)
    assert isinstance(verdict, Unknown)


# ------------------------------------------------------------------------------------------------ random programs
def judge(p: Program, variable: str, seen: Counter[tuple[str, str]], what: object) -> None:
    verdict = prove(p, variable)
    assert REFUSED not in getattr(verdict, "reason", ""), (what, variable, verdict)
    oracle = explicit.answer(p, RaceOn(variable), Options(max_states=1_000), silent)
    assert not (isinstance(verdict, Safe) and isinstance(oracle, Refuted)), (what, variable)
    seen[type(oracle).__name__, type(verdict).__name__] += 1
    if isinstance(verdict, Safe):
        assert isinstance(check_any_kind(p, RaceOn(variable), verdict.certificate), Accepted), (what, variable)


def test_random_automata() -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for seed in range(80):
        p = random_program(seed)
        for variable in ("x", "a"):
            if variable in {v.name for v in subjects(p)}:
                judge(p, variable, seen, seed)
    assert seen["Safe", "Safe"] > 10 and seen["Refuted", "Unknown"] > 10


def test_random_pthread_programs(tmp_path: Path) -> None:
    seen: Counter[tuple[str, str]] = Counter()
    path = tmp_path / "a.c"
    for seed in range(45):
        path.write_text(pthread_program(seed))
        p = load(path)
        for v in subjects(p):
            if v.shown in ("x", "a[]"):
                judge(p, v.name, seen, seed)
    assert sum(n for (_, said), n in seen.items() if said == "Safe") > 10 and seen["Refuted", "Unknown"] > 10


@pytest.mark.parametrize("program", [heap_program, memory_program])
def test_random_programs_with_pointers(program: Callable[[int], str], tmp_path: Path) -> None:
    """What is proved of heap cells, pointers and elements has no race in the explicit search, nor in random runs."""
    seen: Counter[tuple[str, str]] = Counter()
    path = tmp_path / "a.c"
    for seed in range(14):
        path.write_text(program(seed))
        p = load(path)
        for v in subjects(p):
            judge(p, v.name, seen, seed)
    assert sum(n for (_, said), n in seen.items() if said == "Safe") > 10 and seen["Refuted", "Unknown"] > 0


# ------------------------------------------------------------------------------------------------ values
def test_value_sets() -> None:
    zero, small, others = single(0), ValueSet(False, frozenset((0, 1))), ValueSet(True, frozenset((0,)))
    assert small.meet(others) == single(1) and zero.meet(others).empty
    assert zero.join(others) == TOP and single(5).join(others) == others
    assert zero.within(small) and single(7).within(others) and not small.within(others) and others.within(TOP)
    assert meet((zero, TOP), (others, TOP)) is None
    assert join((zero,), (single(1),)) == (small,)
    assert within((zero, others), (small, TOP))


def test_conditions_refine_cells() -> None:
    x = Var("x", INT)
    cells = TrackedCells((x,), 1)

    def after(op: str, value: int, state: ValueSet) -> list[tuple[ValueSet, ...]]:
        return list(cells.execute(Assume(Binary(op, Read(x), Const(value, INT))), (state,)))

    assert after("==", 3, TOP) == [(single(3),)]
    assert after("!=", 0, TOP) == [(ValueSet(True, frozenset((0,))),)]
    assert after("<", 2, ValueSet(False, frozenset((1, 2, 3)))) == [(single(1),)]
    assert after("==", 0, ValueSet(True, frozenset((0,)))) == []


# ------------------------------------------------------------------------------------------------ threads joined one by one
JOINED = """
#include <pthread.h>
pthread_t t[50]; int r[50];
void *work(void *arg) { r[(long)arg] = 1; return 0; }
int main(void) {
  long i;
  for (i = 0; i < 50; i++) { if (pthread_create(&t[i], 0, work, (void *)(PASSED))) return 1; }
  for (i = 0; i < 50; i++) { pthread_join(t[AWAITED], 0); r[TOUCHED]++; }
}
"""


@pytest.mark.parametrize(("passed", "awaited", "touched"), [("i", "i", "i"), ("i / 2", "i", "i"), ("i", "0", "i"), ("i", "i", "49 - i")])
def test_threads_joined_one_by_one(
    passed: str, awaited: str, touched: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the argument claims that all accesses are apart, the kernel believes it only where they are."""
    file = tmp_path / "joined.c"
    file.write_text(JOINED.replace("PASSED", passed).replace("AWAITED", awaited).replace("TOUCHED", touched))
    p = load(file)
    good = passed == awaited == touched
    verdict = prove(p, "r[]")
    if good:
        assert isinstance(verdict, Safe) and any("one that it joined" in sentence for sentence in verdict.why)
    else:
        assert isinstance(verdict, Unknown)
        monkeypatch.setattr(Joining, "apart", lambda *_: True)
        verdict = prove(p, "r[]")
        assert isinstance(verdict, Unknown) and REFUSED in verdict.reason


ALL_JOINED = """#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x; int n;
struct crew { pthread_t handle; int number; } crew[40]; pthread_t t[40];
void *work(void *arg) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
static void start(void) { int i = 0; CREATE }
int main(void) { int k = 0; N; start(); JOIN x = 0; return x; }
"""
EACH = "while (i < 40) { pthread_create(&t[i], 0, work, 0); i++; }"
JOINED_BY = {
    "a loop elsewhere": ("", EACH, "while (k < 40) { pthread_join(t[k], 0); k++; }", True),
    "handles in structs": ("", "for (; i < 40; i++) pthread_create(&crew[i].handle, 0, work, &crew[i]);",
                           "for (; k < 40; k++) pthread_join(crew[k].handle, 0);", True),
    "a bound that is not known": ("n = rand()", "for (; i < n; i++) if (pthread_create(&t[i], 0, work, 0)) exit(1);",
                                  "for (; k < n; k++) pthread_join(t[k], 0);", True),
    "all but the first": ("", EACH, "for (k = 1; k < 40; k++) pthread_join(t[k], 0);", False),
    "all but the last": ("", EACH, "for (; k < 39; k++) pthread_join(t[k], 0);", False),
    "a bound that changes": ("n = rand()", "for (; i < n; i++) pthread_create(&t[i], 0, work, 0);",
                             "n = n - 1; for (; k < n; k++) pthread_join(t[k], 0);", False),
    "one handle for two": ("", EACH + " t[3] = t[4];", "for (; k < 40; k++) pthread_join(t[k], 0);", False),
    "always the same": ("", EACH, "for (; k < 40; k++) pthread_join(t[0], 0);", False),
    "some of them": ("", EACH, "for (; k < 40; k++) if (k != 7) pthread_join(t[k], 0);", False),
    "too early": ("", "for (; i < 40; i++) { pthread_create(&t[i], 0, work, 0); x = 1; }",
                  "for (; k < 40; k++) pthread_join(t[k], 0);", False),
}


@pytest.mark.parametrize("name", JOINED_BY)
def test_all_threads_joined_in_a_loop(name: str, tmp_path: Path) -> None:
    before, create, join, good = JOINED_BY[name]
    file = tmp_path / "joined.c"
    file.write_text(ALL_JOINED.replace("N;", before + ";").replace("CREATE", create).replace("JOIN", join))
    assert isinstance(prove(load(file), "x"), Safe) == good
