"""The arbiter on a fixed slice of random programs, and the arbiter itself: liars of every kind are caught."""

from __future__ import annotations

import pytest

from circ import engines
from circ.kernel.outcome import Accepted
from circ.search.explicit import answer
from circ.verdict import Certificate, Engine, Observer, Options, Question, RaceOn, Refuted, Safe, Trace, Unknown, Verdict
from frontend.program import Program
from tests.support.randomc import arbiter
from tests.support.randomc.arbiter import Table, disagreements, judged_by_oracle, load_text
from tests.support.randomc.concurrent import concurrent
from tests.support.randomc.mutants import Mutant, caught

SLICE = range(60)


def test_racy_and_safe_programs_in_similar_numbers() -> None:
    truths = [judged_by_oracle(load_text(concurrent(seed).text), RaceOn("x"), 5_000) for seed in SLICE]
    assert truths.count(True) >= len(SLICE) // 4
    assert truths.count(False) >= len(SLICE) // 4


def test_the_same_seed_gives_the_same_program() -> None:
    assert concurrent(7) == concurrent(7)


@pytest.mark.parametrize(("name", "seeds", "least"), [("explicit", SLICE, 0.6), ("omega-circ", range(15), 0.7)])
def test_no_disagreement(name: str, seeds: range, least: float) -> None:
    entry = engines.find(name)
    assert entry is not None
    table = Table()
    for seed in seeds:
        table.add(disagreements(entry.load(), [seed]))
    print(table)
    assert not table.wrong, str(table)
    assert table.decided >= least, str(table)


def always_safe(program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
    return Safe(Certificate(program.fingerprint(), question, "read-only", {}))


def always_race(program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
    template = program.templates[0].name
    return Refuted(Trace(program.fingerprint(), question, (template, template), (), (), ((0, 0, 0), (1, 0, 0))))


def broken(program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
    raise ZeroDivisionError


def undecided(program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
    return Unknown("I do not know")


@pytest.mark.parametrize("engine", [always_safe, always_race, broken])
def test_liars_are_caught(engine: Engine) -> None:
    table = caught(Mutant("liar", "", lambda: engine), range(10))
    assert table.wrong


def test_a_kernel_that_accepts_everything_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even with the kernel out of the way, `safe` for a racy program is wrong by the oracle alone."""
    monkeypatch.setattr(arbiter, "judge", lambda *_: Accepted())
    table = caught(Mutant("liar", "", lambda: always_safe), range(10))
    assert [w for w in table.wrong if "finds a race" in w.what]


def test_the_undecided_are_counted() -> None:
    table = disagreements(undecided, range(5))
    assert not table.wrong
    assert table.decided_beyond_triage == 0
    assert f"{5 - table.trivial} x I do not know" in str(table)


def test_an_honest_engine_is_not_caught() -> None:
    assert not caught(Mutant("honest", "", lambda: answer), range(8)).wrong
