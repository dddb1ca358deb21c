"""A program with n copies of a thread as one with n templates of one copy each: the same runs, told apart by name.

Thread i of template `w` becomes the only thread of `w[i]`. Its number (`Self`) is then a constant, which is put in where it
is read if no edge writes it. Locations, edges and accesses keep their places, so a run of one program is a run of the other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from frontend.program import (
    Access,
    AllAt,
    Assign,
    Assume,
    Block,
    Const,
    Edge,
    Element,
    Expr,
    Havoc,
    Ints,
    Lvalue,
    Op,
    Program,
    Self,
    ThreadTemplate,
    Values,
    Var,
    Variable,
    op_writes,
    substitute,
)
from frontend.program.fold import fold

MOST_COPIES = 8


def one_by_one(program: Program) -> Program:
    """The program with every template of 2 to MOST_COPIES copies split; the program itself if there is none."""
    split = {t.name: tuple(f"{t.name}[{i}]" for i in range(t.count)) for t in program.templates if _splits(t) and t.count}
    if not split:
        return program
    templates = []
    for t in program.templates:
        copies = split.get(t.name)
        if copies is None:
            templates.append(_rewritten(t, t.name, t.locals, {}, split, program.ints))
        else:
            templates.extend(_copy(t, i, name, split, program.ints) for i, name in enumerate(copies))
    return replace(program, templates=tuple(templates))


def _splits(t: ThreadTemplate) -> bool:
    return t.count is not None and 2 <= t.count <= MOST_COPIES


def copy_of(program: Program, name: str) -> tuple[str, int | None]:
    """The template in `program` that a template of the split program comes from, and which copy it is."""
    base, mark, number = name.removesuffix("]").rpartition("[")
    if mark and number.isdigit() and any(t.name == base and _splits(t) for t in program.templates):
        return base, int(number)
    return name, None


def _copy(t: ThreadTemplate, i: int, name: str, split: dict[str, tuple[str, ...]], ints: Ints) -> ThreadTemplate:
    written = {w for e in t.cfa.edges for w in op_writes(e.op)}
    constants: dict[str, Const] = {}
    own: list[Variable] = []
    for v in t.locals:
        if isinstance(v.start, Self):
            number = v.type.wrap(i + v.start.offset)
            if v.name not in written and not v.is_array:
                constants[v.name] = Const(number, v.type)
            v = replace(v, start=Values(number))
        own.append(v)
    return replace(_rewritten(t, name, tuple(own), constants, split, ints), count=1)


def _rewritten(
    t: ThreadTemplate,
    name: str,
    own: tuple[Variable, ...],
    constants: dict[str, Const],
    split: dict[str, tuple[str, ...]],
    ints: Ints,
) -> ThreadTemplate:
    def value(v: Lvalue) -> Expr | None:
        return constants.get(v.name) if isinstance(v, Var) else None

    def known(e: Expr) -> Expr:
        if not constants:
            return e
        filled = substitute(e, value)
        return fold(filled) if ints == Ints.EXACT else filled  # folding wraps around, which mathematical integers do not

    def place(v: Lvalue) -> Lvalue:
        return Element(v.array, known(v.index), v.type) if isinstance(v, Element) else v

    def rewrite(op: Op) -> Op:
        match op:
            case Assume(cond=c):
                return Assume(known(c))
            case Assign(target=x, value=e):
                return Assign(place(x), known(e))
            case Havoc(targets=xs, whole=ws):
                return Havoc(tuple(map(place, xs)), ws)
            case AllAt(template=other, locations=where):
                return Block(tuple(AllAt(c, where) for c in split[other] if c != name)) if other in split else op
            case Block(ops=ops):
                return Block(tuple(map(rewrite, ops)))
            case _:
                assert_never(op)

    def access(a: Access) -> Access:
        return replace(a, lvalue=place(a.lvalue))

    def edge(e: Edge) -> Edge:
        return replace(e, op=rewrite(e.op), accesses=tuple(map(access, e.accesses)))

    return replace(t, name=name, locals=own, cfa=replace(t.cfa, edges=tuple(map(edge, t.cfa.edges))))
