"""Programs as products have them (pools, caches, loggers, servers): the planted race is found, what is protected is proved."""

from __future__ import annotations

import pytest

from circ.run.check import confirmed, questions
from circ.search.random_runs import RandomRuns
from circ.static.prover import Static
from circ.verdict import Answer, Options, Refuted, Safe, silent
from circ.views.on_sections import OnSections
from frontend import load
from tests.support.corpus import PROGRAMS, Example, collect

EFFORT = 300_000
"""Steps of random runs: as in `auto`, long ones are for programs whose threads do much before they race."""
SERVICES = collect(PROGRAMS / "services")


@pytest.mark.parametrize("example", SERVICES, ids=[e.path.stem for e in SERVICES])
def test_services(example: Example) -> None:
    """Random runs find the races and the static prover proves the rest, without any other engine."""
    program = load(example.path)
    wanted = {e.subject: e.verdict for e in example.expectations}
    engines = {"race": OnSections(RandomRuns()), "safe": OnSections(Static())}
    asked = {a.shown: a.question for a in questions(program, None, "races")}
    assert wanted.keys() <= asked.keys()
    for name, said in wanted.items():
        verdict = engines[said](program, asked[name], Options(max_states=EFFORT), silent)
        assert isinstance(verdict, Refuted if said == "race" else Safe), (name, verdict)
        assert confirmed(program, Answer(asked[name], name, verdict, said)).verdict == verdict
