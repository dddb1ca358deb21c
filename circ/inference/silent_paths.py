"""Silent ways through a thread's code, as far as the constants that it has given to its own variables tell.

What lies between two steps that others see is a part of a run that nobody looked at. The shortest way through it may
contradict itself (a flag is cleared, then found set; a loop that counts to eight is left at once), and then says nothing
about the run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TypeAlias

from circ.abstraction.skeleton import Skeleton
from frontend.program import Assign, Assume, Const, Expr, Lvalue, Op, ThreadTemplate, Var, op_writes, primitive, substitute
from frontend.program.fold import fold

MOST_WAYS = 4
MOST_TRIED = 600
MOST_ROUND = 4_000
"""Locations, each with what is known there, on the way around a loop whose end only the count of its rounds tells."""

KnownLocals: TypeAlias = Mapping[str, Const]
"""What is known of a thread's locals."""


def after(template: ThreadTemplate, op: Op, known: KnownLocals) -> KnownLocals | None:
    """What is known after an operation; None if it cannot be taken."""
    now = dict(known)

    def constant(v: Lvalue) -> Expr | None:
        return now.get(v.name) if isinstance(v, Var) else None

    own = {v.name for v in template.locals}
    for part in primitive(op):
        if isinstance(part, Assume):
            cond = fold(substitute(part.cond, constant))
            if isinstance(cond, Const) and not cond.value:
                return None
            continue
        value = fold(substitute(part.value, constant)) if isinstance(part, Assign) else None
        for name in op_writes(part):
            now.pop(name, None)
        if isinstance(part, Assign) and isinstance(part.target, Var) and isinstance(value, Const) and part.target.name in own:
            now[part.target.name] = value
    return now


def ways(sk: Skeleton, start: int, goal: int, known: KnownLocals) -> list[list[int]]:
    """A few silent ways between two locations of one node, shortest first; those that contradict themselves only if all do."""
    found: list[list[int]] = []
    queue: deque[tuple[int, list[int], frozenset[int], KnownLocals]] = deque([(start, [], frozenset((start,)), known)])
    tried = 0
    while queue and len(found) < MOST_WAYS and tried < MOST_TRIED:
        tried += 1
        q, way, seen, now = queue.popleft()
        if q == goal:
            found.append(way)
            continue
        for i in sk.inner.get(q, ()):
            edge = sk.original.cfa.edges[i]
            if edge.target not in seen:
                then = after(sk.original, edge.op, now)
                if then is not None:
                    queue.append((edge.target, [*way, i], seen | {edge.target}, then))
    if found:
        return found
    shortest = _shortest(sk, start, goal, known) or _shortest(sk, start, goal, None)
    return [] if shortest is None else [shortest]


_PathState: TypeAlias = tuple[int, frozenset[tuple[str, Const]]]


def _shortest(sk: Skeleton, start: int, goal: int, known: KnownLocals | None) -> list[int] | None:
    """The shortest way, around loops as often as the constants tell; None for `known`: whatever they tell."""
    first: _PathState = start, frozenset((known or {}).items())
    came: dict[_PathState, tuple[_PathState, int] | None] = {first: None}
    queue = deque([first])
    while queue and (known is None or len(came) < MOST_ROUND):
        place = queue.popleft()
        if place[0] == goal:
            way: list[int] = []
            while (back := came[place]) is not None:
                place, edge = back
                way.append(edge)
            return way[::-1]
        for i in sk.inner.get(place[0], ()):
            e = sk.original.cfa.edges[i]
            then = {} if known is None else after(sk.original, e.op, dict(place[1]))
            if then is not None and (reached := (e.target, frozenset(then.items()))) not in came:
                came[reached] = place, i
                queue.append(reached)
    return None
