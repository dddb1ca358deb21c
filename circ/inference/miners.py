"""Refine, second half: new predicates from an infeasible trace.

Two miners: atoms of weakest preconditions of the guards in the unsatisfiable core, pushed back through the trace, and the
atoms of sequence interpolants from Spacer. Where both find nothing new, `v == e` for assignments in the core's past, then
`v == c` for the values the trace computes. A predicate may mention globals and the locals of one thread, as an abstract
thread state has no others; an atom over two threads' locals is dropped (the fall-backs exist for that case).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from circ import smt
from circ.abstraction.trace_formulas import Infeasible, Line, Script
from circ.smt import Encoder, SymbolicState, Term
from circ.smt.interpolation import atomic_conditions, sequence_interpolants
from frontend.program import (
    BOOL,
    COMPARISONS,
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Element,
    Expr,
    Havoc,
    Ite,
    Lvalue,
    Read,
    Scalar,
    Unary,
    Values,
    Var,
    Variable,
    children,
    name_of,
    op_reads,
    op_writes,
    substitute,
    truth,
    variables,
)
from frontend.program.bits import tidy
from frontend.program.fold import fold

MinedPredicate: TypeAlias = tuple[str, Expr]
"""A predicate as a thread of the template with this name sees it."""

MOST_ATOM_SIZE = 40


# --------------------------------------------------------------------------------------------------- the miners
def weakest_preconditions(script: Script, why: Infeasible) -> list[MinedPredicate]:
    """Atoms of the core's guards and of their weakest preconditions at every earlier point."""
    core = set(why.core)
    found: dict[MinedPredicate, None] = {}
    carried: dict[Expr, None] = {}
    if why.final:
        for e in script.finals:
            carried.update(dict.fromkeys(atoms(e)))
    for i in reversed(range(len(script.lines))):
        op = script.lines[i].op
        match op:
            case Assume(cond=c):
                if i in core:
                    carried.update(dict.fromkeys(atoms(c)))
            case Assign(target=t, value=e):
                carried = dict.fromkeys(a for atom in carried for a in atoms(tidy(fold(_before(atom, t, e)))))
            case Havoc():
                lost = frozenset(op_writes(op))
                carried = {a: None for a in carried if not variables(a) & lost}
        carried = {a: None for a in carried if variables(a) and _size(a) <= MOST_ATOM_SIZE}
        for atom in carried:
            found.update(dict.fromkeys(_seen_by(script, atom)))
    return list(found)


def interpolants(script: Script, why: Infeasible) -> list[MinedPredicate]:
    """Atoms of a sequence interpolant of the whole trace."""
    del why
    encoder = Encoder(script.program.ints)
    names = [v.name for v in script.program.globals]
    known = {v.name: v for v in script.program.globals}
    for number, t in enumerate(script.threads):
        for v in t.locals:
            names.append(f"{v.name}@{number}")
            known[f"{v.name}@{number}"] = v
    used = frozenset().union(*(_mentions(line) for line in script.lines), *(variables(e) for e in script.finals))
    names = [n for n in names if n in used]
    if not names or any(known[n].is_array for n in names):
        return []

    def symbols(i: int) -> dict[str, Term]:
        return {n: smt.constant_like(f"{n}!{i}", encoder.sort(known[n].type)) for n in names}

    cuts, steps = [symbols(0)], []
    begin = []
    for n in names:
        start = known[n].start
        if isinstance(start, Values):
            begin.append(smt.equality(cuts[0][n], encoder.constant(known[n].type.wrap(start.default), known[n].type)))
    for i, line in enumerate(script.lines):
        state = SymbolicState(dict(cuts[-1]), [])
        encoder.apply(line.op, state)
        after = symbols(i + 1)
        steps.append(smt.conjunction([*state.constraints, *(smt.equality(after[n], state.terms[n]) for n in names)]))
        cuts.append(after)
    if not steps:
        return []
    steps[0] = smt.conjunction([*begin, steps[0]])
    last = cuts[-1]
    steps[-1] = smt.conjunction([steps[-1], *(encoder.cond(e, last) for e in script.finals)])
    formulas = sequence_interpolants([list(c.values()) for c in cuts], steps)
    found: dict[MinedPredicate, None] = {}
    for formula in formulas or ():
        for atom in atomic_conditions(formula, lambda name: _lvalue(known, name.rpartition("!")[0])):
            found.update(dict.fromkeys(_seen_by(script, fold(atom))))
    return list(found)


def equalities(script: Script, why: Infeasible) -> list[MinedPredicate]:
    """`v == e` for the assignments that the core's guards depend on."""
    found: dict[MinedPredicate, None] = {}
    for line in reversed(relevant_lines(script, why)):
        if isinstance(line.op, Assign) and isinstance(line.op.target, Var):
            t, e = line.op.target, line.op.value
            if t.name not in variables(e):
                found.update(dict.fromkeys(_seen_by(script, fold(Binary("==", Read(t), e)))))
    return list(found)


def values(script: Script, why: Infeasible) -> list[MinedPredicate]:
    """`v == c` for every constant that the relevant part of the trace gives to v."""
    found: dict[MinedPredicate, None] = {}
    known: dict[str, int] = {}
    kinds: dict[str, Scalar] = {}
    for v in script.program.globals:
        if isinstance(v.start, Values) and not v.is_array:
            known[v.name] = v.type.wrap(dict(v.start.elements).get(0, v.start.default))
            kinds[v.name] = v.type
    touched = frozenset().union(*(_mentions(line) for line in relevant_lines(script, why)))

    def constant(v: Lvalue) -> Expr | None:
        return Const(known[v.name], v.type) if isinstance(v, Var) and v.name in known else None

    for line in script.lines:
        for name in op_writes(line.op):
            known.pop(name, None)
        if isinstance(line.op, Assign) and isinstance(line.op.target, Var):
            e = fold(substitute(line.op.value, constant))
            if isinstance(e, Const):
                known[line.op.target.name] = e.value
                kinds[line.op.target.name] = line.op.target.type
        for name in sorted(touched & known.keys()):
            atom = Binary("==", Read(Var(name, kinds[name])), Const(known[name], kinds[name]))
            found.update(dict.fromkeys(_seen_by(script, atom)))
    return list(found)


# --------------------------------------------------------------------------------------------------- localisation
def relevant_lines(script: Script, why: Infeasible) -> list[Line]:
    """The guards of the core and the assignments they depend on, in order."""
    core = set(why.core)
    wanted: set[str] = set()
    if why.final:
        for e in script.finals:
            wanted |= variables(e)
    kept: list[Line] = []
    for i in reversed(range(len(script.lines))):
        line = script.lines[i]
        written = set(op_writes(line.op))
        if (isinstance(line.op, Assume) and i in core) or written & wanted:
            if isinstance(line.op, (Assign, Havoc)):
                wanted -= {n for n in written if not _partial(line.op, n)}
            wanted |= {name_of(v) for v in op_reads(line.op)}
            kept.append(line)
    return kept[::-1]


def needed_variables(script: Script, why: Infeasible) -> list[tuple[str | None, str]]:
    """The variables that exclude the trace, as (template or None, name)."""
    found: dict[tuple[str | None, str], None] = {}
    names = frozenset().union(*(_mentions(line) for line in relevant_lines(script, why)))
    if why.final:
        names |= frozenset().union(*(variables(e) for e in script.finals))
    for name in sorted(names):
        owner = script.owner(name)
        if owner is None:
            found[(None, name)] = None
        else:
            found[(script.threads[owner].name, name.rpartition("@")[0])] = None
    return list(found)


def _partial(op: Assign | Assume | Havoc, name: str) -> bool:
    """Whether the operation changes only a part of the variable."""
    targets = (op.target,) if isinstance(op, Assign) else op.targets if isinstance(op, Havoc) else ()
    return any(isinstance(t, Element) and t.array == name for t in targets)


def _mentions(line: Line) -> frozenset[str]:
    return frozenset(map(name_of, op_reads(line.op))) | frozenset(op_writes(line.op))


# --------------------------------------------------------------------------------------------------- atoms
def atoms(e: Expr) -> Iterator[Expr]:
    """The atomic conditions of a condition, comparisons of Boolean values taken apart."""
    e = truth(e)
    match e:
        case Const():
            return
        case Unary(op="!", arg=a):
            yield from atoms(a)
        case Binary(op="&&" | "||", left=a, right=b):
            yield from atoms(a)
            yield from atoms(b)
        case Binary(op=op, left=a, right=b) if op in COMPARISONS and a.type == BOOL:
            yield from atoms(a)
            yield from atoms(b)
        case Binary(op=op, left=a, right=b) if op in COMPARISONS:
            inner = _inner_condition(e)
            if inner is None:
                yield e
            else:
                yield from atoms(inner[0])
                yield from atoms(fold(inner[1]))
                yield from atoms(fold(inner[2]))
        case Cast(arg=a) if a.type == BOOL:
            yield from atoms(a)
        case Ite(cond=c, then=a, other=b):
            yield from atoms(c)
            yield from atoms(a)
            yield from atoms(b)
        case _:
            yield e


def _inner_condition(e: Expr) -> tuple[Expr, Expr, Expr] | None:
    """The first condition inside a comparison, and the comparison under it and under its negation."""
    for node in _descend(e):
        if isinstance(node, Ite):
            return node.cond, _replace(e, node, node.then), _replace(e, node, node.other)
        if isinstance(node, Cast) and node.arg.type == BOOL and not isinstance(node.arg, (Const, Read)):
            return node.arg, _replace(e, node, Const(1, node.type)), _replace(e, node, Const(0, node.type))
    return None


def _descend(e: Expr) -> Iterator[Expr]:
    yield e
    for child in children(e):
        yield from _descend(child)


def _replace(e: Expr, old: Expr, new: Expr) -> Expr:
    if e is old:
        return new
    match e:
        case Unary(op=op, arg=a):
            return Unary(op, _replace(a, old, new))
        case Cast(arg=a, type=t):
            return Cast(_replace(a, old, new), t)
        case Binary(op=op, left=a, right=b):
            return Binary(op, _replace(a, old, new), _replace(b, old, new))
        case Ite(cond=c, then=a, other=b):
            return Ite(_replace(c, old, new), _replace(a, old, new), _replace(b, old, new))
        case Read(lvalue=Element(array=a, index=i, type=t)):
            return Read(Element(a, _replace(i, old, new), t))
        case _:
            return e


def _before(atom: Expr, target: Lvalue, value: Expr) -> Expr:
    """The weakest precondition of `atom` under the assignment."""

    def replace(v: Lvalue) -> Expr | None:
        if isinstance(target, Var):
            return value if v == target else None
        if isinstance(v, Element) and v.array == target.array:
            wide = Scalar(64, False)
            same = fold(Binary("==", Cast(v.index, wide), Cast(target.index, wide)))
            return fold(Ite(same, value, Read(v)))
        return None

    return substitute(atom, replace)


def family(e: Expr) -> Expr:
    """The expression without the numbers that are added in it, and without conversions: `i + 3 < n` and `i < n` are alike."""
    match e:
        case Binary(op="+" | "-", left=a, right=Const()) | Cast(arg=a):
            return family(a)
        case Binary(op=op, left=a, right=b):
            return Binary(op, family(a), family(b))
        case Unary(op=op, arg=a):
            return Unary(op, family(a))
        case _:
            return e


def _size(e: Expr) -> int:
    return 1 + sum(map(_size, children(e)))


def _lvalue(known: Mapping[str, Variable], name: str) -> Lvalue | None:
    v = known.get(name)
    return None if v is None else Var(name, v.type)


def _seen_by(script: Script, atom: Expr) -> Sequence[MinedPredicate]:
    """The atom in the words of the one thread whose locals it mentions; nothing if there are two such threads."""
    owners = {script.owner(n) for n in variables(atom)} - {None}
    if len(owners) > 1:
        return ()
    if not owners:
        return ((script.threads[0].name, atom),)
    (owner,) = owners
    assert owner is not None

    def plain(v: Lvalue) -> Expr | None:
        name = name_of(v)
        if script.owner(name) is None:
            return None
        base = name.rpartition("@")[0]
        return Read(Var(base, v.type) if isinstance(v, Var) else Element(base, v.index, v.type))

    return ((script.threads[owner].name, substitute(atom, plain)),)
