"""Which locals of a thread are live at each location: a dead one need not be part of the state.

The explicit search has a liveness analysis of its own (`circ.search.reductions`): that one drops whole scalars of program
states by slot, this one also answers for the middle of a block (`live_before`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import assert_never

from frontend.program import (
    AllAt,
    Assign,
    Assume,
    Cfa,
    Edge,
    Element,
    Expr,
    Havoc,
    Op,
    Var,
    name_of,
    primitive,
    reads,
)


def live_locals(cfa: Cfa, names: frozenset[str], seen: Callable[[Edge], Iterable[Expr]]) -> tuple[frozenset[str], ...]:
    """For each location the locals whose value may still be read; `seen` is what a property reads at an edge's source."""
    live: list[frozenset[str]] = [frozenset()] * cfa.size
    changed = True
    while changed:
        changed = False
        for edge in reversed(cfa.edges):
            need = live_before(edge.op, live[edge.target])
            need |= {name_of(v) for e in seen(edge) for v in reads(e)}
            new = live[edge.source] | (need & names)
            if new != live[edge.source]:
                live[edge.source] = new
                changed = True
    return tuple(live)


def live_before(op: Op, after: frozenset[str]) -> frozenset[str]:
    """The variables whose value before `op` matters when those in `after` matter after it."""
    for part in reversed(list(primitive(op))):
        match part:
            case Assume(cond=c):
                after |= {name_of(v) for v in reads(c)}
            case Assign(target=t, value=e):
                if isinstance(t, Var):
                    after -= {t.name}
                else:
                    after |= {name_of(v) for v in reads(t.index)}
                after |= {name_of(v) for v in reads(e)}
            case Havoc(targets=ts, whole=ws):
                after -= {t.name for t in ts if isinstance(t, Var)} | set(ws)
                after |= {name_of(v) for t in ts if isinstance(t, Element) for v in reads(t.index)}
            case AllAt():
                pass
            case _:
                assert_never(part)
    return after
