"""Reads of atomic variables: which variables can be followed, and what a step does if it reads a given value."""

from __future__ import annotations

from collections.abc import Iterator

from frontend.program import (
    FENCE,
    AccessKind,
    Assign,
    Assume,
    Block,
    Cfa,
    Edge,
    Expr,
    Lvalue,
    Op,
    Program,
    Var,
    name_of,
    op_writes,
    primitive,
    substitute,
)


def focusable(program: Program, name: str) -> bool:
    """Whether the variable can be a focus: one atomic scalar, all of whose accesses are known."""
    accesses = [a for _, _, a in program.accesses.get(name, ())]
    return name != FENCE and any(a.kind is AccessKind.ATOMIC for a in accesses) and all(
        isinstance(a.lvalue, Var) and not a.whole and not a.orders for a in accesses)


def beside(cfa: Cfa, stale: Edge) -> Iterator[Edge]:
    """The steps that read what is there, of which this one reads anything."""
    ends = stale.source, stale.target, stale.accesses
    return (e for e in cfa.edges if not e.stale and (e.source, e.target, e.accesses) == ends)


def reading(op: Op, name: str, value: Expr) -> Op:
    """The operation if the variable had this value when the step began."""
    def seen(v: Lvalue) -> Expr | None:
        return value if name_of(v) == name else None

    parts: list[Op] = []
    changed = False
    for part in primitive(op):
        match part:
            case Assume(cond=cond) if not changed:
                parts.append(Assume(substitute(cond, seen)))
            case Assign(target=target, value=e) if not changed:
                parts.append(Assign(target, substitute(e, seen)))
            case _:
                parts.append(part)
        changed = changed or name in op_writes(part)
    return Block(tuple(parts))
