"""A step as commands on sets of states: no primed bits are needed to take it.

An assignment `x := e` is, for each value v of e, "restrict to e = v, forget x, put x = v".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, assert_never

from dd import cudd

from circ.finite.symbolic.encoding import BitEncoding, BitField, StateSet
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Restrict:
    """Keep the states in `to`."""

    to: StateSet


@dataclass(frozen=True, slots=True)
class AssignField:
    """Field := the value of an expression, given by its partition; `outside`: where it would leave the finite view."""

    field: BitField
    parts: tuple[tuple[StateSet, int], ...]
    outside: StateSet


@dataclass(frozen=True, slots=True)
class SetConstants:
    """Several fields get constants."""

    bits: tuple[str, ...]
    cube: StateSet
    values: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class ForgetBits:
    """Fields get arbitrary values of their domains."""

    bits: tuple[str, ...]
    valid: StateSet


SetCommand: TypeAlias = Restrict | AssignField | SetConstants | ForgetBits


def image(encoding: BitEncoding, states: StateSet, commands: Sequence[SetCommand]) -> StateSet:
    """The states after the commands; where a value would leave its domain or an index its array, no step is taken."""
    now = states
    for c in commands:
        if now == encoding.false:
            return now
        match c:
            case Restrict(to=to):
                now &= to
            case SetConstants(bits=bits, cube=cube):
                now = encoding.manager.exist(bits, now) & cube
            case AssignField(field=field, parts=parts):
                after = encoding.false
                for where, value in parts:
                    after |= cudd.and_exists(now, where, field.bits) & field.equals[value]
                now = after
            case ForgetBits(bits=bits, valid=valid):
                now = encoding.manager.exist(bits, now) & valid
            case _:
                assert_never(c)
    return now


def preimage(encoding: BitEncoding, states: StateSet, commands: Sequence[SetCommand]) -> StateSet:
    """The states from which the commands can lead into `states`."""
    now = states
    for c in reversed(commands):
        match c:
            case Restrict(to=to):
                now &= to
            case SetConstants(values=values):
                now = encoding.manager.let(dict(values), now) if values else now
            case AssignField(field=field, parts=parts):
                before = encoding.false
                for where, value in parts:
                    cube = field.cube(value)
                    before |= where & (encoding.manager.let(cube, now) if cube else now)
                now = before
            case ForgetBits(bits=bits, valid=valid):
                now = encoding.manager.exist(bits, now & valid)
            case _:
                assert_never(c)
    return now


def set_constants(encoding: BitEncoding, values: dict[str, bool]) -> SetConstants:
    """The command that gives these bits these values."""
    return SetConstants(tuple(values), encoding.manager.cube(values), values)


def merged(encoding: BitEncoding, commands: list[SetCommand]) -> tuple[SetCommand, ...]:
    """Neighbouring restrictions and neighbouring constants made one."""
    done: list[SetCommand] = []
    for c in commands:
        last = done[-1] if done else None
        if isinstance(c, Restrict) and isinstance(last, Restrict):
            done[-1] = Restrict(last.to & c.to)
        elif isinstance(c, SetConstants) and isinstance(last, SetConstants):
            done[-1] = set_constants(encoding, {**last.values, **c.values})
        else:
            done.append(c)
    return tuple(done)
