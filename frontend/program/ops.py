"""The operations on the edges of an automaton: what they read, what they write, how they are shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, assert_never

from frontend.program.expr import Element, Expr, Lvalue, Var, collect_reads, show, show_lvalue
from frontend.records import dataclass


# --------------------------------------------------------------------------------------------------- operations
@dataclass(frozen=True, slots=True)
class Assume:
    """Passes only where the condition is not 0; blocks otherwise."""

    cond: Expr


@dataclass(frozen=True, slots=True)
class Assign:
    target: Lvalue
    value: Expr


@dataclass(frozen=True, slots=True)
class Havoc:
    """Each target gets an arbitrary value of its type; an array name without index (see `whole`) gets arbitrary elements."""

    targets: tuple[Lvalue, ...]
    whole: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AllAt:
    """Passes only while every *other* thread of `template` is at one of `locations` (what joining many threads needs)."""

    template: str
    locations: frozenset[int]


@dataclass(frozen=True, slots=True)
class Block:
    """Several operations done in order in one step; the step exists only if every assume in it passes."""

    ops: tuple[Op, ...]


Op: TypeAlias = Assume | Assign | Havoc | AllAt | Block

SKIP = Block(())


def primitive(op: Op) -> Iterator[Assume | Assign | Havoc | AllAt]:
    """The operations of `op` in order, blocks flattened."""
    if not isinstance(op, Block):
        return iter((op,))
    flat = [part for part in op.ops if not isinstance(part, Block)]
    return iter(flat) if len(flat) == len(op.ops) else _flattened(op)


def _flattened(block: Block) -> Iterator[Assume | Assign | Havoc | AllAt]:
    for part in block.ops:
        yield from primitive(part)


def op_reads(op: Op) -> Iterator[Lvalue]:
    """Every lvalue the operation reads, indices of targets included."""
    found: list[Lvalue] = []
    for part in (op,) if not isinstance(op, Block) else primitive(op):
        match part:
            case Assume(cond=c):
                collect_reads(c, found)
            case Assign(target=t, value=e):
                collect_reads(e, found)
                if isinstance(t, Element):
                    collect_reads(t.index, found)
            case Havoc(targets=ts):
                for t in ts:
                    if isinstance(t, Element):
                        collect_reads(t.index, found)
            case AllAt():
                pass
            case _:
                assert_never(part)
    return iter(found)


def op_writes(op: Op) -> Iterator[str]:
    """Names of the variables and arrays the operation may change."""
    found: list[str] = []
    for part in (op,) if not isinstance(op, Block) else primitive(op):
        if isinstance(part, Assign):
            found.append(name_of(part.target))
        elif isinstance(part, Havoc):
            found += [name_of(t) for t in part.targets]
            found += part.whole
    return iter(found)


def name_of(v: Lvalue) -> str:
    """The variable or array that holds `v`."""
    return v.name if isinstance(v, Var) else v.array


def show_op(op: Op) -> str:
    """The operation in C syntax, an assume in brackets as in the papers."""
    match op:
        case Assume(cond=c):
            return f"[{show(c)}]"
        case Assign(target=t, value=e):
            return f"{show_lvalue(t)} = {show(e)}"
        case Havoc(targets=ts, whole=ws):
            return ", ".join(f"{name} = *" for name in (*map(show_lvalue, ts), *(f"{w}[..]" for w in ws)))
        case AllAt(template=t, locations=ls):
            return f"[all {t} at {{{', '.join(map(str, sorted(ls)))}}}]"
        case Block(ops=ops):
            return "; ".join(map(show_op, ops)) if ops else "skip"
        case _:
            assert_never(op)
