"""Techniques are switched by their names; a name that does not exist is an error, not a technique that is on."""

from __future__ import annotations

import json

import pytest

from circ.verdict import Options, ProofKind, Technique


def test_a_typo_is_an_error() -> None:
    with pytest.raises(ValueError, match="'valeus' is not a valid Technique"):
        Options(switches={"valeus": False})  # type: ignore[dict-item]


def test_all_are_on_but_one() -> None:
    assert {t for t in Technique if not Options().on(t)} == {Technique.CARTESIAN}
    assert not Options(switches={Technique.VALUES: False}).on(Technique.VALUES)
    assert Options(switches={Technique.CARTESIAN: True}).on(Technique.CARTESIAN)


def test_kinds_are_written_as_their_names() -> None:
    assert json.dumps({"kind": ProofKind.READ_ONLY}) == '{"kind": "read-only"}'
