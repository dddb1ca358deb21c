"""Localisation: operations, and programs, weakened to the variables that are kept; never removes a behaviour.

Every operation on another variable loses its effect, every guard that reads one passes, and a kept variable that is
assigned from one gets an arbitrary value. Of a program locations and edges stay where they are, so each run of it is a run of
the weakened one: a proof about the weakened program is a proof about the program, and a race in it is only a candidate.

`weaken_op` is trusted (quotients are made with it). `weaken` is not: the kernel does not use it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from circ.views.variable_sets import VariableSet
from circ.views.waits import awaited
from frontend.program import (
    SKIP,
    TRUE,
    AllAt,
    Assign,
    Assume,
    Binary,
    Block,
    Element,
    Expr,
    Havoc,
    Lvalue,
    Op,
    Program,
    ThreadTemplate,
    name_of,
    primitive,
    variables,
)


def weaken_op(op: Op, kept: Callable[[str], bool]) -> Op:
    """The operation with its effect on the kept variables only; never removes a behaviour."""
    match op:
        case Assume(cond=c):
            weak = weaken_condition(c, kept)
            return SKIP if weak == TRUE else Assume(weak)
        case Assign(target=t, value=e):
            if not kept(name_of(t)):
                return SKIP
            if not all(map(kept, index_variables(t))):
                return Havoc((), (name_of(t),))
            return op if all(map(kept, variables(e))) else Havoc((t,))
        case Havoc(targets=ts, whole=ws):
            exact: list[Lvalue] = []
            blurred: dict[str, None] = {}
            for t in ts:
                if kept(name_of(t)) and all(map(kept, index_variables(t))):
                    exact.append(t)
                elif kept(name_of(t)):
                    blurred[name_of(t)] = None
            arrays = (*blurred, *(w for w in ws if kept(w)))
            return Havoc(tuple(exact), arrays) if exact or arrays else SKIP
        case AllAt():
            return op
        case Block(ops=ops):
            parts = tuple(p for p in (weaken_op(o, kept) for o in ops) if p != SKIP)
            return parts[0] if len(parts) == 1 else Block(parts)
        case _:
            assert_never(op)


def index_variables(v: Lvalue) -> frozenset[str]:
    """What must be known to tell which cell `v` is."""
    return variables(v.index) if isinstance(v, Element) else frozenset()


def weaken_condition(c: Expr, kept: Callable[[str], bool]) -> Expr:
    """A condition over kept variables that `c` implies."""
    if all(map(kept, variables(c))):
        return c
    if isinstance(c, Binary) and c.op == "&&":
        left, right = weaken_condition(c.left, kept), weaken_condition(c.right, kept)
        if left == TRUE:
            return right
        return left if right == TRUE else Binary("&&", left, right)
    return TRUE


def weaken(program: Program, kept: VariableSet, variable: str | None = None) -> Program:
    """The program as the kept variables see it; the same locations, edges and accesses in the same order.

    A step that only waits for others (`AllAt`), and by which the thread neither touches the questioned `variable` nor comes
    to or leaves a place where others wait for it, no longer waits: to take it early makes no difference to the others.
    """
    waits = awaited(program)
    return replace(program, templates=tuple(
        weaken_template(t, kept.of(t.name), waits[t.name], variable) for t in program.templates))


def weaken_template(t: ThreadTemplate, kept: frozenset[str], places: tuple[frozenset[int], ...], variable: str | None,
                    ) -> ThreadTemplate:
    """The template as the kept variables see it; `places`: where others wait for its threads to be."""
    def seen(q: int) -> tuple[bool, ...]:
        return q in t.cfa.atomic, *(q in at for at in places)

    edges = []
    for e in t.cfa.edges:
        op = weaken_op(e.op, kept.__contains__)
        waits = [isinstance(p, AllAt) for p in primitive(op)]
        if waits and all(waits) and seen(e.source) == seen(e.target) and all(a.variable != variable for a in e.accesses):
            op = SKIP
        edges.append(replace(e, op=op))
    return replace(t, cfa=replace(t.cfa, edges=tuple(edges)))
