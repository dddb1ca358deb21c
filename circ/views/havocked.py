"""Programs with some variables left open: every assignment to them becomes a havoc, so they can do all the original can."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from circ.views.variable_sets import VariableSet, from_rows
from frontend.program import (
    Arbitrary,
    Assign,
    Assume,
    Block,
    Element,
    Havoc,
    Op,
    Program,
    ThreadTemplate,
    Var,
    Variable,
    name_of,
    op_reads,
    primitive,
    reads,
)


def opened(program: Program, names: VariableSet) -> Program:
    """The program with these variables open, edge by edge and operation by operation the same otherwise."""
    return replace(
        program,
        globals=_arbitrary(program.globals, names.globals),
        templates=tuple(_template(t, names.of(t.name), names.own(t.name)) for t in program.templates),
    )


def _arbitrary(variables: tuple[Variable, ...], names: Collection[str]) -> tuple[Variable, ...]:
    return tuple(replace(v, start=Arbitrary()) if v.name in names else v for v in variables)


def _template(template: ThreadTemplate, names: frozenset[str], own: frozenset[str]) -> ThreadTemplate:
    edges = tuple(replace(e, op=_op(e.op, names)) for e in template.cfa.edges)
    return replace(template, cfa=replace(template.cfa, edges=edges), locals=_arbitrary(template.locals, own))


def _op(op: Op, names: frozenset[str]) -> Op:
    match op:
        case Block(ops=ops):
            return Block(tuple(_op(o, names) for o in ops))
        case Assign(target=Var() as target) if target.name in names:
            return Havoc((target,))
        case Assign(target=Element(array=array)) if array in names:
            return Havoc((), (array,))
        case _:
            return op


def irrelevant(program: Program, questioned: str | None) -> VariableSet:
    """Variables that decide nothing: not which steps exist, nor what is accessed, nor whether an invariant holds.

    (Indices of elements that are havocked count as deciding.) `questioned` is the variable whose accesses matter; None if
    it is the assertions that do.
    """
    shared = {name_of(v) for inv in program.invariants for v in reads(inv.cond)} if questioned is None else set()
    local: list[set[str]] = []
    for t in program.templates:
        seen = {name_of(v) for e in t.cfa.edges for p in primitive(e.op) if isinstance(p, Assume | Havoc) for v in op_reads(p)}
        seen |= {name_of(v) for e in t.cfa.edges for a in e.accesses if a.variable == questioned and isinstance(a.lvalue, Element)
                 for v in reads(a.lvalue.index)}
        local.append(seen)
    names = {v.name for v in program.globals}
    own = [{v.name for v in t.locals} for t in program.templates]
    size = -1
    while size != len(shared) + sum(map(len, local)):
        size = len(shared) + sum(map(len, local))
        for i, t in enumerate(program.templates):
            shared |= (local[i] - own[i]) & names
            local[i] |= shared - own[i]
            for e in t.cfa.edges:
                local[i].update(_sources(e.op, local[i]))
    return from_rows(program, names - shared, [own[i] - local[i] for i in range(len(own))])


def _sources(op: Op, relevant: set[str]) -> set[str]:
    """What an operation uses to write something relevant, the index of an element written included."""
    return {name_of(v) for part in primitive(op) if isinstance(part, Assign) and name_of(part.target) in relevant
            for v in op_reads(part)}
