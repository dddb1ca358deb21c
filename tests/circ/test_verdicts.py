"""Every program of `tests/programs/circ` comes out as its header says, in each engine that claims it."""

from __future__ import annotations

import pytest

import circ
from circ.run.supervise import Limits
from circ.verdict import Answer, RaceOn, Refuted, Safe
from frontend import load
from tests.support.corpus import PROGRAMS, Example, collect, decided, read_example
from tests.test_corpus import load_options

EXAMPLES = collect(PROGRAMS / "circ")
UNDECIDED = {
    ("readers_writer", "data"),  # the number of readers depends on a local, not only on the location
    ("bakery2", "goods"),
    ("bakery2", "asserts"),
    ("wrap_math", "x"),
}
"""What is known to be too hard for now; the answer must be `unknown`, not wrong."""

ENGINES = ("omega-circ", "circ", "counter-guided", "explicit")
CLAIMED = {
    "test_and_set mutex": ("tas_mutex", "tas_mutex_broken"),
    "spinning": ("spin_mutex", "spin_mutex_broken"),
    "compare and swap": ("cas_mutex", "cas_mutex_broken"),
    "peterson": ("peterson", "peterson_broken"),
    "dekker": ("dekker", "dekker_broken"),
    "transmitter": ("transmitter4", "transmitter4_broken"),
    "conditional locking": ("conditional_locking", "conditional_locking_broken"),
    "counter": ("counter_unprotected",),
    "owner": ("owner_mutex", "owner_mutex_broken"),
    "split phase": ("split_phase", "split_phase_no_flag"),
    "two threads safe, three racy": ("two_threads_safe", "three_threads_race", "three_threads_unbounded"),
    "three threads safe, four racy": ("four_threads_three_safe", "four_threads_race", "four_threads_unbounded"),
    "two readers": ("two_readers", "two_readers_broken"),
    "wrap at 8 bits": ("wrap8_race",),
}
PREDICATES_DO_NOT_END = {("wrap8_race", "x")}
"""Where context inference finds ever more values of a counter (as of ticket locks): `unknown` there, never wrong."""


def answers(example: Example, engine: str, seconds: float) -> dict[str, Answer]:
    prop = next(iter(example.option("--property")), "races")
    program = load(example.path, load_options(example))
    result = circ.check(program, engine=engine, prop=prop, limits=Limits(timeout=seconds))
    return {a.shown: a for a in result.answers}


@pytest.mark.parametrize("example", EXAMPLES, ids=[e.path.stem for e in EXAMPLES])
def test_the_default_engine_decides_it(example: Example) -> None:
    hard = {subject for stem, subject in UNDECIDED if stem == example.path.stem}
    said = answers(example, "auto", 5 if hard else 240)
    for expected in example.expectations:
        answer = said[expected.subject]
        if expected.subject in hard:
            assert decided(answer) in ("unknown", expected.verdict)
            continue
        assert decided(answer) == expected.verdict, (expected.subject, answer.verdict)
        if isinstance(answer.verdict, Refuted) and isinstance(answer.question, RaceOn):
            assert len(answer.verdict.trace.accesses) == 2
        if isinstance(answer.verdict, Safe):
            assert answer.verdict.why


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("stems", CLAIMED.values(), ids=CLAIMED.keys())
def test_no_engine_is_wrong_and_all_that_claim_any_number_of_threads_decide_them_all(engine: str, stems: tuple[str, ...]) -> None:
    for stem in stems:
        example = read_example(PROGRAMS / "circ" / f"{stem}.c")
        said = answers(example, engine, 60)
        for expected in example.expectations:
            answer = said[expected.subject]
            spoken = decided(answer)
            assert spoken in (expected.verdict, "unknown"), (stem, expected.subject)
            endless = (stem, expected.subject) in PREDICATES_DO_NOT_END and engine in ("omega-circ", "circ")
            if engine != "explicit" and not endless:
                assert spoken == expected.verdict, (stem, expected.subject, answer.verdict)
