"""Which locals are live where, against the plain fixpoint."""

from __future__ import annotations

import pytest

from circ.static.live_locals import live_locals
from circ.views.weaken import weaken_op
from frontend import load
from frontend.program import (
    Assign,
    Cfa,
    Const,
    Edge,
    Element,
    Havoc,
    Read,
    Scalar,
    ThreadTemplate,
    Var,
    name_of,
    op_reads,
    primitive,
    variables,
)
from tests.support.corpus import PROGRAMS

I32 = Scalar(32, True)


def plainly(template: ThreadTemplate) -> list[frozenset[str]]:
    """The same, edge by edge until nothing changes."""
    own = frozenset(v.name for v in template.locals)
    live: list[frozenset[str]] = [frozenset()] * template.cfa.size
    changed = True
    while changed:
        changed = False
        for e in template.cfa.edges:
            needed = live[e.target]
            for part in reversed(list(primitive(e.op))):
                if isinstance(part, Assign) and isinstance(part.target, Var):
                    needed -= {part.target.name}
                needed |= {name_of(v) for v in op_reads(part)} & own
            needed |= {n for a in e.accesses if isinstance(a.lvalue, Element) for n in variables(a.lvalue.index)} & own
            changed |= not needed <= live[e.source]
            live[e.source] |= needed
    return live


@pytest.mark.parametrize("name", ["logger", "timer_wheel", "metrics"])
def test_live_locals(name: str) -> None:
    files = sorted((PROGRAMS / "products").glob("*.c"))
    program = load(next((f for f in files if f.stem == name), files[0]))
    found = 0
    for template in program.templates:
        live = live_locals(template)
        wanted = plainly(template)
        assert [live[q] for q in range(template.cfa.size)] == wanted
        found += sum(map(len, wanted))
    assert found


def test_order_and_what_is_known_forward() -> None:
    """Locations come before those that they lead to; where ways come together, what is known on each way counts."""
    steps = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 0), (3, 4), (5, 4)]
    cfa = Cfa(6, 0, tuple(Edge(q, r, Havoc(())) for q, r in steps))
    order = cfa.order()
    assert order[0] == 0 and sorted(order) == [0, 1, 2, 3, 4]
    assert all(order.index(q) < order.index(r) for q, r in steps if q in order and (q, r) != (3, 0))
    visited = cfa.forward(frozenset[int](), lambda known, e: known | {e.source}, frozenset.union)
    assert visited == [frozenset({0, 1, 2, 3}), *[frozenset({0, 1, 2, 3})] * 3, frozenset({0, 1, 2, 3}), None]
    surely = cfa.forward(frozenset[int](), lambda known, e: known | {e.source}, frozenset.intersection)
    assert surely == [frozenset(), {0}, {0}, {0}, {0, 3}, None]


def test_a_weakened_havoc_keeps_cells_of_known_index() -> None:
    a, i, j = Var("x", I32), Var("i", I32), Var("j", I32)
    cells = (a, Element("a", Read(i), I32), Element("a", Read(j), I32), Element("b", Const(0, I32), I32))
    kept = {"x", "a", "i"}.__contains__
    assert weaken_op(Havoc(cells, ("w",)), kept) == Havoc((a, cells[1]), ("a",))
