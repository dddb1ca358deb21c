"""What is known of handlers that decides who interrupts whom: those that never switch interrupts on, and their priorities.

A helper that saves the status register, switches interrupts off and restores it is called by `main` and by handlers alike. In
a handler that is entered with interrupts off it restores that. What the handler knows of its own variables, bit by bit, tells.

Priorities of a Cortex-M are given by calls (`frontend.interrupts.implied_rules`). Each call is a step that sets a ghost variable,
the priority of the handler that is meant. Along the steps of `main` we follow which values it can have, and whether the handler
may have been enabled yet; what counts are the values of the second kind. After reset it is 0, the most urgent one: that counts,
too, where a handler may be enabled before anything else is set. The ghosts are taken out again. A smaller number is more urgent;
a handler interrupts only those of a larger one, and never itself.

Sound: whatever a handler's register holds while the handler may be running or waiting is among the values. Every change of the
register is a call that we see (`priority_numbers`), calls of other threads than `main` count wherever they stand, and so do
all of `main` where another thread enables the handler. A value beyond what the processor has is an assumption.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from frontend.interrupts.known_bits import UNKNOWN, Bits, evaluate, value_of
from frontend.program import (
    AllAt,
    Assign,
    Assume,
    Block,
    Const,
    Edge,
    Expr,
    Havoc,
    Ite,
    Lvalue,
    Op,
    Program,
    Read,
    Role,
    ThreadTemplate,
    Var,
    primitive,
)
from frontend.program.fold import fold
from frontend.program.schedule_ghosts import ACTIVE, IE, enabled, priority

KnownVariables: TypeAlias = dict[str, Bits]
"""The variables of which some bits are known."""

_ON: Bits = (1, 1)
_OFF: Bits = (1, 0)


def stays_off(template: ThreadTemplate) -> bool:
    """Whether interrupts are off all the time in a handler that is entered with interrupts off."""
    own = {v.name for v in template.locals if not v.is_array} | {IE.name}
    out = template.cfa.leaving()
    states: dict[int, KnownVariables] = {template.cfa.start: {}}
    work = [template.cfa.start]
    while work:
        q = work.pop()
        for edge in out[q]:
            after = _behind(edge, states[q], own)
            if after is None:
                continue
            if ACTIVE.name in after and after.get(IE.name, UNKNOWN) != _OFF:
                return False
            old = states.get(edge.target)
            now = after if old is None else _both(old, after)
            if now != old:
                states[edge.target] = now
                work.append(edge.target)
    return True


def _behind(edge: Edge, state: KnownVariables, own: set[str]) -> KnownVariables | None:
    """What is known behind a step; None if the handler returns, or cannot take it: `if (saved) sei();` with interrupts off."""
    def read(v: Lvalue) -> Bits:
        return after.get(v.name, UNKNOWN) if isinstance(v, Var) else UNKNOWN

    after = dict(state)
    for part in primitive(edge.op):
        match part:
            case Assign(target=target, value=value) if target == ACTIVE:
                if evaluate(value, read) == _OFF:
                    return None
                after |= {ACTIVE.name: _ON, IE.name: _OFF}
            case Assign(target=Var(name=name), value=value) if name in own:
                after[name] = evaluate(value, read)
            case Havoc(targets=targets):
                for t in targets:
                    if isinstance(t, Var):
                        after.pop(t.name, None)
            case Assume(cond=cond):
                if value_of(evaluate(cond, read), cond.type) == 0:
                    return None
            case Assign() | AllAt():
                pass
    return {name: bits for name, bits in after.items() if bits[0]}


def _both(one: KnownVariables, other: KnownVariables) -> KnownVariables:
    """What is known on both ways."""
    made: KnownVariables = {}
    for name in one.keys() & other.keys():
        (m, x), (n, y) = one[name], other[name]
        same = m & n & ~(x ^ y)
        if same:
            made[name] = (same, x & same)
    return made


# ------------------------------------------------------------------------------------------------------------ priorities
LEAST_URGENT = 255

Priorities: TypeAlias = frozenset[int]
_ANY: Priorities = frozenset({0, LEAST_URGENT})
"""Any priority: only the smallest and the largest one count."""
_RESET: Priorities = frozenset({0})

BY_SOFTWARE = ("SysTick_Handler", "PendSV_Handler")
"""Handlers that do not run before the program asks for them."""

_Possible: TypeAlias = frozenset[tuple[int, bool]]
"""Priorities that a handler can have at a location, each with whether the handler may be enabled there."""


def given_priorities(program: Program, handlers: Mapping[str, bool]) -> tuple[Program, dict[str, Priorities]]:
    """The program without the ghosts, and which priorities each handler can have while it may run.

    `handlers`: those whose priorities calls give, and whether nothing but calls enables them.
    """
    found = {name: _while_it_may_run(program, name, by_calls) for name, by_calls in handlers.items()}
    ghosts = {priority(name).name for name in handlers}
    templates = tuple(replace(t, cfa=replace(t.cfa, edges=tuple(_without(e, ghosts) for e in t.cfa.edges)))
                      for t in program.templates)
    kept = tuple(v for v in program.globals if v.name not in ghosts)
    return replace(program, templates=templates, globals=kept), found


def _while_it_may_run(program: Program, handler: str, by_calls: bool) -> Priorities:
    main = [t for t in program.templates if t.role is Role.MAIN]
    others = [t for t in program.templates if t.role is not Role.MAIN]
    given = frozenset(p for t in others for p in _given(t, handler))
    software = handler in BY_SOFTWARE and any(_given(t, handler) for t in main)
    if len(main) != 1 or (not by_calls and not software) or any(
            _enables(e, handler) for t in others if t.name != handler for e in t.cfa.edges):
        return given | _RESET | frozenset(p for t in main for p in _given(t, handler))
    if software and not by_calls:
        return given | _given(main[0], handler)
    return given | frozenset(p for states in _follow(main[0], handler).values() for p, on in states if on)


def _given(template: ThreadTemplate, handler: str) -> Priorities:
    """The priorities that a thread gives a handler anywhere."""
    mine = priority(handler)
    return frozenset(p for e in template.cfa.edges for o in primitive(e.op) if isinstance(o, Assign | Havoc)
                     for p in _assigned(o, mine, frozenset()))


def _assigned(op: Assign | Havoc, mine: Var, before: Priorities) -> Priorities:
    """The values that a variable can have behind an operation, when it could have those before."""
    if isinstance(op, Havoc):
        return _ANY if mine in op.targets else before
    return _values(fold(op.value), mine, before) if op.target == mine else before


def _values(value: Expr, mine: Var, before: Priorities) -> Priorities:
    match value:
        case Const(value=number):
            return frozenset({number})
        case Read(lvalue=lvalue) if lvalue == mine:
            return before
        case Ite(then=then, other=other):
            return _values(then, mine, before) | _values(other, mine, before)
    return _ANY


def _enables(edge: Edge, handler: str) -> bool:
    """Whether a step may enable the handler."""
    mine = enabled(handler)
    return any(_assigned(o, mine, frozenset()) - {0} for o in primitive(edge.op) if isinstance(o, Assign | Havoc))


def _follow(main: ThreadTemplate, handler: str) -> dict[int, _Possible]:
    """What is possible at each location of `main`. Once it may be enabled, a handler stays so: it may still be running."""
    mine = priority(handler)
    out = main.cfa.leaving()
    states: dict[int, _Possible] = {main.cfa.start: frozenset({(0, False)})}
    work = [main.cfa.start]
    while work:
        q = work.pop()
        for edge in out[q]:
            after = states[q]
            for o in primitive(edge.op):
                if isinstance(o, Assign | Havoc):
                    after = frozenset((p, on) for before, on in after for p in _assigned(o, mine, frozenset({before})))
            if _enables(edge, handler):
                after |= frozenset((p, True) for p, _ in after)
            old = states.get(edge.target, frozenset())
            if not after <= old:
                states[edge.target] = old | after
                work.append(edge.target)
    return states


def _without(edge: Edge, ghosts: Iterable[str]) -> Edge:
    """The step without what it does to the ghosts."""
    parts = [*primitive(edge.op)]
    kept: list[Op] = [o for o in parts if not (isinstance(o, Assign) and isinstance(o.target, Var) and o.target.name in ghosts)]
    if len(kept) == len(parts):
        return edge
    op = kept[0] if len(kept) == 1 else Block(tuple(kept))
    return replace(edge, op=op, accesses=tuple(a for a in edge.accesses if a.variable not in ghosts))
