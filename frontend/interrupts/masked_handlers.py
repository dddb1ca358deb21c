"""Handlers that never switch interrupts on: what they restore is what they have saved, with interrupts off.

A helper that saves the status register, switches interrupts off and restores it is called by `main` and by handlers alike. In
a handler that is entered with interrupts off it restores that. What the handler knows of its own variables, bit by bit, tells.
"""

from __future__ import annotations

from typing import TypeAlias

from frontend.interrupts.known_bits import UNKNOWN, Bits, evaluate, value_of
from frontend.program import AllAt, Assign, Assume, Edge, Havoc, Lvalue, ThreadTemplate, Var, primitive
from frontend.program.schedule_ghosts import ACTIVE, IE

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
