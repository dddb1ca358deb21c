"""Values of options that plainly are what they should be, taken as they are.

Typer hands every value to pydantic, loading which takes as long as loading all of the command line besides. Here the values that
need no judge are told apart: options that are not given, words where words are asked for, members of an enum by their names,
short numbers within their bounds. All others go the long way, which also words what is wrong with them.
"""

from __future__ import annotations

from enum import Enum
from functools import partial
from typing import Any

from typer.core import TyperCommand, TyperGroup


class PlainCommand(TyperCommand):
    """A command of typer's that takes plain values as they are."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _plainly(self.get_params(ctx))
        return super().parse_args(ctx, args)


class PlainGroup(TyperGroup):
    """Commands of typer's, with options of their own that take plain values as they are."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _plainly(self.get_params(ctx))
        return super().parse_args(ctx, args)


def _plainly(params: Any) -> None:
    for param in params:
        if not isinstance(param.process_value, partial) and hasattr(param, "type_descriptor"):
            param.process_value = partial(_process, param, param.process_value)


def _process(param: Any, long_way: Any, ctx: Any, value: Any) -> Any:
    plain = NOT_PLAIN if param.required and not value else taken(param, value)
    if plain is NOT_PLAIN:
        return long_way(ctx, value)
    return plain if param.callback is None else param.callback(ctx, param, plain)


class _NotPlain:
    """No value of an option."""


NOT_PLAIN = _NotPlain()


def taken(param: Any, value: Any) -> Any:
    """What a parameter's value is, or NOT_PLAIN if typer has to say."""
    info = param.type_descriptor.parameter_info
    if value is None:
        return () if param.multiple or param.nargs == -1 else None
    if info.parser is not None or info.clamp:
        return NOT_PLAIN
    kind = param.type_descriptor.annotation
    if kind == list[str]:
        return list(value) if isinstance(value, list | tuple) and all(type(v) is str for v in value) else NOT_PLAIN
    if kind is str:
        return value if type(value) is str else NOT_PLAIN
    if kind is int or kind is float:
        return _number(kind, value, param.default, info)
    if isinstance(kind, type) and issubclass(kind, Enum) and info.case_sensitive:
        return next((member for member in kind if value is member or (type(value) is str and value == member.value)), NOT_PLAIN)
    return NOT_PLAIN


def _number(kind: type[int] | type[float], value: Any, default: Any, info: Any) -> Any:
    if type(value) is kind and value == default:
        return value
    if type(value) is not str or len(value) > 9 or not value.isascii():
        return NOT_PLAIN
    whole, point, part = value.partition(".")
    if not whole.isdigit() or (point and (kind is int or not part.isdigit())) or (len(whole) > 1 and whole[0] == "0"):
        return NOT_PLAIN
    number = kind(value)
    within = (info.min is None or info.min <= number) and (info.max is None or number <= info.max)
    return number if within else NOT_PLAIN
