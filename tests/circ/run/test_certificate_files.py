"""`circ.run.certificate_files`: what is written can be read back, byte for byte, and nothing else is accepted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from circ.run.certificate_files import UnreadableCertificate, dump, parse
from circ.verdict import Assertions, Certificate, Choice, RaceOn, Step, Trace
from frontend import LoadOptions

OPTIONS = LoadOptions(threads=("worker=2",), define=("N=3",), data_model="ip16")
PROOF = Certificate("ab" * 32, RaceOn("x"), "pairs", {"formulas": ["(== x:i32 0:i32)"], "pairs": [[0, 0, 0, 0, [[0]]]]})
RUN = Trace("ab" * 32, RaceOn("x"), ("worker", "worker"), (Choice("y", 3), Choice("a", -1, 2, 1)),
            (Step(0, 4, (Choice("t", 7),)), Step(1, 2)), ((0, 5, 0), (1, 5, 1)))


@pytest.mark.parametrize("evidence", [PROOF, RUN, Trace("00", Assertions(), ("main",), (), ())])
def test_round_trip(evidence: Certificate | Trace) -> None:
    text = dump(evidence, OPTIONS)
    assert parse(text) == (evidence, OPTIONS)
    assert dump(*parse(text)) == text


def test_canonical() -> None:
    text = dump(PROOF, OPTIONS)
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")) + "\n"


def changed(evidence: Certificate | Trace, *path: Any, to: Any) -> str:
    data = json.loads(dump(evidence, OPTIONS))
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return json.dumps(data)


@pytest.mark.parametrize("text", [
    "", "[]", "{}", "not json", dump(PROOF, OPTIONS) + "{}", "[" * 100_000, '{"version":1,"version":1}',
    changed(PROOF, "version", to=2), changed(PROOF, "extra", to=1), changed(PROOF, "kind", to=None),
    changed(PROOF, "body", to=[]),
    changed(PROOF, "question", to={"property": "races"}), changed(PROOF, "question", "property", to="else"),
    changed(PROOF, "options", "ints", to=3), changed(PROOF, "options", "threads", to="worker"),
    changed(PROOF, "options", "new", to=1),
    changed(RUN, "body", "steps", 0, to=[0, 1]), changed(RUN, "body", "steps", 0, 1, to=True),
    changed(RUN, "body", "steps", 0, 1, to=1.0),
    changed(RUN, "body", "start", 0, to=["y", "3", None, None]), changed(RUN, "body", "accesses", 0, to=[0, 5]),
    changed(RUN, "body", "accesses", to={}), changed(RUN, "program", to=1),
    changed(PROOF, "version", to=True), changed(PROOF, "version", to=1.0),
    changed(PROOF, "options", "ints", to="\ud800"), changed(PROOF, "options", "cpp", to="cat \0"), changed(PROOF, "kind", to="\ud800"),
    *(changed(PROOF, "options", name, to="") for name in ("ints", "data_model", "race_model", "preemption")),
    changed(PROOF, "options", "preemption", to="other"), changed(PROOF, "options", "interrupts", to=["table.toml"]),
])
def test_anything_else_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableCertificate):
        parse(text)
