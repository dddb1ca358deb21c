"""Constants in memory that only one thread uses: handles of threads, tables that `main` sets up for itself.

Elements of arrays that are always named by constant indices are taken for scalars while constants are propagated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from frontend.memory.sketch import Sketch
from frontend.program import (
    Assign,
    Assume,
    Block,
    Const,
    Element,
    Expr,
    Havoc,
    Lvalue,
    Op,
    Read,
    Var,
    name_of,
    op_reads,
    op_writes,
    primitive,
    substitute,
)
from frontend.records import replace
from frontend.threads.constant_propagation import propagate
from frontend.threads.op_facts import OpFacts, block


def touched(sketch: Sketch) -> frozenset[str]:
    """The variables that a thread reads or changes."""
    found = {n for s in sketch.steps for n in (*op_writes(s.op), *map(name_of, op_reads(s.op)))}
    return frozenset(found.union(a.variable for accesses in sketch.accesses() for a in accesses))


def propagate_private(sketch: Sketch, facts: OpFacts, private: Iterable[str]) -> OpFacts:
    """Propagate constants through the thread's registers and the variables `private` to it (scalars and arrays).

    Gives back the facts, with those about operations that are new.
    """
    private, locals_ = frozenset(private), facts.locals
    whole = facts.about({**locals_, **dict.fromkeys(sorted(private), False)})
    propagate(sketch, whole)  # makes indices constant
    cells = _cells(sketch, private)
    if not cells:  # nothing more is known
        sketch.steps = [s.doing(block(list(primitive(s.op))), s.accesses) if isinstance(s.op, Block) else s for s in sketch.steps]
        return whole.about(locals_)
    named = {cell: Var(f"{cell[0]}[{cell[1]}]", element.type) for cell, element in cells.items()}
    elements = {array: tuple(v for (a, _), v in named.items() if a == array) for array, _ in named}
    back = {named[cell].name: element for cell, element in cells.items()}
    arrays = frozenset(elements)
    sketch.steps = [replace(s, op=_scalars(s.op, named, elements)) if isinstance(s.op, Block) or _names(s.op, arrays) else s
                    for s in sketch.steps]
    scalars = {n: False for n in sorted(private) if n not in elements}
    split = whole.about({**locals_, **scalars, **dict.fromkeys(back, False)})
    propagate(sketch, split)
    sketch.steps = [replace(s, op=_elements(s.op, back)) if isinstance(s.op, Block) or _names(s.op, back.keys()) else s
                    for s in sketch.steps]
    return split.about(locals_)


def _names(op: Op, some: Set[str]) -> bool:
    """Whether the operation reads or changes one of these variables."""
    return bool(some) and not (some.isdisjoint(op_writes(op)) and some.isdisjoint(map(name_of, op_reads(op))))


def _cells(sketch: Sketch, private: frozenset[str]) -> dict[tuple[str, int], Element]:
    """Elements of private arrays of which every element is named by a constant."""
    found: dict[tuple[str, int], Element] = {}
    lost: set[str] = set()
    for step in sketch.steps:
        for part in primitive(step.op):
            for v in (*op_reads(part), *_targets(part)):
                if isinstance(v, Element) and v.array in private:
                    if isinstance(v.index, Const) and v.index.value >= 0:
                        found[v.array, v.index.value] = v
                    else:
                        lost.add(v.array)
    return {cell: element for cell, element in found.items() if cell[0] not in lost}


def _targets(op: Op) -> tuple[Lvalue, ...]:
    match op:
        case Assign(target=t):
            return (t,)
        case Havoc(targets=ts):
            return ts
    return ()


def _scalars(op: Op, named: Mapping[tuple[str, int], Var], elements: Mapping[str, tuple[Var, ...]]) -> Op:
    """The operation with the elements as variables of their own."""
    def name(v: Lvalue) -> Lvalue:
        return named.get((v.array, v.index.value), v) if isinstance(v, Element) and isinstance(v.index, Const) else v

    def read(v: Lvalue) -> Expr | None:
        return Read(name(v)) if isinstance(v, Element) and name(v) is not v else None

    def rewritten(part: Op) -> Op:
        match part:
            case Assume(cond=c):
                return Assume(substitute(c, read))
            case Assign(target=t, value=e):
                return Assign(name(t), substitute(e, read))
            case Havoc(targets=ts, whole=ws):
                return Havoc((*map(name, ts), *(v for w in ws for v in elements.get(w, ()))), ws)
        return part

    return block([rewritten(p) for p in primitive(op)])


def _elements(op: Op, back: Mapping[str, Element]) -> Op:
    """The other way round."""
    def element(v: Lvalue) -> Lvalue:
        return back.get(v.name, v) if isinstance(v, Var) else v

    def read(v: Lvalue) -> Expr | None:
        return Read(element(v)) if isinstance(v, Var) and v.name in back else None

    def added(v: Lvalue, whole: tuple[str, ...]) -> bool:
        return isinstance(v, Var) and v.name in back and back[v.name].array in whole

    def rewritten(part: Op) -> Op:
        match part:
            case Assume(cond=c):
                return Assume(substitute(c, read))
            case Assign(target=t, value=e):
                return Assign(element(t), substitute(e, read))
            case Havoc(targets=ts, whole=ws):
                return Havoc(tuple(element(t) for t in ts if not added(t, ws)), ws)
        return part

    return block([rewritten(p) for p in primitive(op)])
