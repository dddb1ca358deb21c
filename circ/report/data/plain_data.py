"""Frozen dataclasses from JSON data that anybody may have written: each value has the type that its field is declared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

_Built = TypeVar("_Built")


def built(shape: type[_Built], data: object) -> _Built:
    """What `dataclasses.asdict` made JSON of, again; raises ValueError for anything else."""
    types = _types(cast(Any, shape))
    if not isinstance(data, dict) or set(data) != set(types):
        raise ValueError(f"{shape.__name__} has other fields")
    return shape(**{name: _value(kind, data[name], name) for name, kind in types.items()})


@cache
def _types(shape: type[Any]) -> Mapping[str, Any]:
    hints = get_type_hints(shape)
    return {f.name: hints[f.name] for f in fields(shape)}


def _value(kind: Any, value: object, name: str) -> object:
    if get_origin(kind) is tuple:
        return _items(get_args(kind), value, name)
    if get_origin(kind) is UnionType:
        for option in get_args(kind):
            try:
                return _value(option, value, name)
            except ValueError:
                continue
    elif is_dataclass(kind):
        return built(kind, value)  # type: ignore[arg-type]
    elif kind is NoneType and value is None:
        return None
    elif type(value) is kind or (kind is float and type(value) is int):
        return value
    raise ValueError(f"{name} is {value!r}")


def _items(kinds: tuple[Any, ...], value: object, name: str) -> tuple[object, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{name} is no list")
    if kinds[1:] == (...,):
        return tuple(_value(kinds[0], item, name) for item in value)
    if len(value) != len(kinds):
        raise ValueError(f"{name} has {len(value)} items")
    return tuple(_value(kind, item, name) for kind, item in zip(kinds, value, strict=True))
