"""Witnesses that circ writes keep to the rules of the format, as a judge of its own has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.circ.witness.test_witnesses import FLAG, RACE, SAFE, circ
from tests.support.witness_rules import broken_rules

ASSERTED = "#include <assert.h>\n" + RACE.replace("y = y + 1;", "assert(ready == 1);")
LOOP = SAFE.replace("    bump(1);", "    for (int i = 0; i < 10; i++) {\n        bump(1);\n    }")
PROGRAMS = {"race": (RACE, ()), "safe": (SAFE, ()), "loop": (LOOP, ()), "flag": (FLAG, ("--thread", "thread")),
            "broken flag": (FLAG.replace("if (mine == 0)", "if (mine != 7)"), ("--thread", "thread")),
            "asserted": (ASSERTED, ("--property", "asserts"))}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_we_write(name: str, tmp_path: Path) -> None:
    text, options = PROGRAMS[name]
    (tmp_path / "a.c").write_text(text)
    done = circ(tmp_path, "check", "a.c", "--witness-out", "w.yml", *options)
    assert done.returncode in (0, 1), done.stderr
    assert broken_rules((tmp_path / "w.yml").read_text(), tmp_path) == []


@pytest.mark.parametrize(("name", "before", "after", "what"), [
    ("race", "type: target", "type: assumption", "KeyError"), ("race", "action: follow", "action: avoid", "to follow"),
    ("race", "  - segment:\n    - waypoint:\n        type: target", "    - waypoint:\n        type: target", "to follow"),
    ("race", "thread_id: 1", "thread_id: -1", "the thread -1"), ("race", "value: '1'", "value: '1 +'", "no expression of C"),
    ("race", "LP64", "LP65", "data model"), ("race", "file_name: a.c", "file_name: b.c", "there is no place b.c"),
    ("race", "format_version: '2.1'", "format_version: '1.0'", "format_version"), ("race", "G ! data-race", "G ! races", "no specification"),
    ("race", "1970-01-01T00:00:00Z", "1970-01-01", "creation_time"), ("race", "function: worker", "function: nobody", "no function nobody"),
    ("safe", "name: m_locked", "name: worker", "the name worker is taken"), ("safe", "value: m_locked == 1", "value: n_locked == 1", "neither of the program"),
    ("safe", "location_invariant", "loop_invariant", "where no loop begins"), ("safe", "variable: m_locked", "variable: x", "an update is"),
])
def test_the_judge_sees_what_is_wrong(name: str, before: str, after: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(PROGRAMS[name][0])
    circ(tmp_path, "check", "a.c", "--witness-out", "w.yml")
    text = (tmp_path / "w.yml").read_text()
    assert before in text and broken_rules(text, tmp_path) == []
    assert any(what in line for line in broken_rules(text.replace(before, after, 1) if before != "type: target" else text.replace(before, after), tmp_path))
