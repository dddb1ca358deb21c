"""Hostile data has the shape that is asked for, or is refused: truth values are no numbers, no key too many, lengths as told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from circ.kernel.outcome import Malformed
from circ.kernel.untrusted_json import as_integer, as_integers, as_list, as_natural, as_object, as_text, is_integer

ALL: list[Any] = [None, True, False, 0, 1, -1, 10 ** 30, 1.0, "", "1", [], [1], [True], [[1]], {}, {"a": 1}]


@pytest.mark.parametrize(("read", "accepted"), [
    (lambda v: as_integer(v, "it"), [0, 1, -1, 10 ** 30]),
    (lambda v: as_natural(v, "it"), [0, 1, 10 ** 30]),
    (lambda v: as_natural(v, "it", 1), [0]),
    (lambda v: as_text(v, "it"), ["", "1"]),
    (lambda v: as_list(v, "it"), [[], [1], [True], [[1]]]),
    (lambda v: as_list(v, "it", 1), [[1], [True], [[1]]]),
    (lambda v: list(as_integers(v, "it")), [[], [1]]),
    (lambda v: as_object(v, "it", ()), [{}]),
    (lambda v: as_object(v, "it", ("a",)), [{"a": 1}]),
    (lambda v: as_object(v, "it", (), ("a",)), [{}, {"a": 1}]),
    (lambda v: as_object(v, "it", ("b",), ("a",)), []),
])
def test_what_is_accepted(read: Callable[[Any], Any], accepted: list[Any]) -> None:
    found = []
    for value in ALL:
        try:
            assert read(value) == value
            found.append(value)
        except Malformed as error:
            assert str(error).startswith("it ") or str(error).startswith("a number of it ")
    assert [repr(v) for v in found] == [repr(v) for v in accepted]


def test_truth_values_are_no_numbers() -> None:
    assert not is_integer(True) and is_integer(1)


def test_messages_stay_short() -> None:
    with pytest.raises(Malformed) as error:
        as_object({"x" * 10_000: 1}, "it", ())
    assert len(str(error.value)) < 200
