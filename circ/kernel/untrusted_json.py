"""JSON data that anybody may have written, taken apart: every value has the shape that is asked for, or it is `Malformed`.

Used by all that reads a proof or a trace. Trusted: what comes out of here is taken for what its type says. Truth values are no
numbers here, though Python takes them for some. Bodies that have not been through a file may have tuples for lists.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from circ.kernel.outcome import Malformed

_SHOWN = 80
"""Characters of a hostile value in a message, at most."""


def as_list(value: Any, what: str, length: int | None = None) -> Sequence[Any]:
    """A list, of this length if one is given."""
    if not isinstance(value, list | tuple) or (length is not None and len(value) != length):
        raise Malformed(f"{what} is not a list" + ("" if length is None else f" of {length}"))
    return value


def as_integer(value: Any, what: str) -> int:
    """A whole number of any size."""
    if not is_integer(value):
        raise Malformed(f"{what} is not a whole number")
    number: int = value
    return number


def as_integers(value: Any, what: str) -> tuple[int, ...]:
    """A list of whole numbers."""
    return tuple(as_integer(v, f"a number of {what}") for v in as_list(value, what))


def as_natural(value: Any, what: str, below: int | None = None) -> int:
    """A number from 0 on, less than `below` if that is given."""
    if type(value) is not int or value < 0 or (below is not None and value >= below):
        raise Malformed(f"{what} is not a number from 0" + ("" if below is None else f" to {below - 1}"))
    return value


def as_text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise Malformed(f"{what} is not a text")
    return value


def as_object(value: Any, what: str, keys: Collection[str], optional: Collection[str] = ()) -> Mapping[str, Any]:
    """An object with all of `keys`, and no others but those in `optional`."""
    if not isinstance(value, Mapping):
        raise Malformed(f"{what} is not a JSON object")
    lacking = [key for key in keys if key not in value]
    unknown = [str(key)[:_SHOWN] for key in value if key not in keys and key not in optional]
    for problem, names in (("lacks", lacking), ("has the unknown", unknown)):
        if names:
            raise Malformed(f"{what} {problem} {', '.join(map(repr, sorted(names)))}")
    return value


def is_integer(value: Any) -> bool:
    """A whole number, which a truth value is not."""
    return type(value) is int
