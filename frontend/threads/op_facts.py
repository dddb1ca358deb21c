"""What operations read and write of a thread's own scalars, worked out once each; operations with expressions put in.

All passes over the automaton of a thread ask for this, again and again, about the same operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from frontend.memory.sketch import SketchStep
from frontend.program import (
    SKIP,
    Access,
    Assign,
    Assume,
    Binary,
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
    reads,
    substitute,
)
from frontend.program.fold import fold
from frontend.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class OpFact:
    """About one operation: all it reads, the thread's own scalars it reads before it sets them, those it surely sets."""

    reads: frozenset[str]
    needs: frozenset[str]
    sets: frozenset[str]
    writes: frozenset[str]
    needed: int
    """`needs` as a mask (`OpFacts.bit`)."""
    put: int
    """`sets` as a mask."""
    teaches: bool
    """Whether a constant may be known behind it that was not before, or whether it never passes."""


class OpFacts:
    """What operations read and write, worked out once each. `locals_`: scalars, True for temporaries that no user ever sees."""

    def __init__(self, locals_: Mapping[str, bool]) -> None:
        self.locals = locals_
        self._known: dict[int, tuple[Op, OpFact]] = {}
        self._indices: dict[int, tuple[tuple[Access, ...], frozenset[str]]] = {}
        self._bits: dict[str, int] = {}
        self._rewritten: dict[tuple[int, tuple[tuple[str, Const], ...]], tuple[Op, Op]] = {}

    def about(self, locals_: Mapping[str, bool]) -> OpFacts:
        """The same for a thread that has these scalars; facts about operations without those that are new or gone are kept."""
        if locals_ == self.locals:
            return self
        made = OpFacts(locals_)
        others = {name for name, _ in self.locals.items() ^ locals_.items()}
        made._bits = self._bits
        made._known = {n: known for n, known in self._known.items()
                       if others.isdisjoint(known[1].reads) and others.isdisjoint(known[1].writes)}
        made._rewritten = self._rewritten
        made._indices = self._indices
        return made

    def of(self, op: Op) -> OpFact:
        found = self._known.get(id(op))
        if found is None:
            found = self._known[id(op)] = (op, self._look(op))  # keeping `op` keeps its id its own
        return found[1]

    def bit(self, name: str) -> int:
        """The bit of a variable in masks."""
        return self._bits.setdefault(name, 1 << len(self._bits))

    def mask(self, names: Iterable[str]) -> int:
        found = 0
        for name in names:
            found |= self.bit(name)
        return found

    def needs(self, step: SketchStep) -> frozenset[str]:
        """The thread's own scalars whose value before the step matters to it."""
        needs = self.of(step.op).needs
        indices = self.indices(step.accesses) if step.accesses else frozenset()
        return needs | (indices & self.locals.keys()) if indices else needs

    def indices(self, accesses: tuple[Access, ...]) -> frozenset[str]:
        """What the indices of the elements read that are accessed. Many steps share one long list of accesses."""
        found = self._indices.get(id(accesses))
        if found is None:
            names = frozenset([name_of(v) for a in accesses if isinstance(a.lvalue, Element) for v in reads(a.lvalue.index)])
            found = self._indices[id(accesses)] = (accesses, names)
        return found[1]

    def indexed(self, accesses: tuple[Access, ...]) -> int:
        """The thread's own scalars among these, as a mask."""
        names = self.indices(accesses)
        return self.mask([n for n in names if n in self.locals]) if names else 0

    def rewritten(self, part: Op, values: Mapping[str, Const]) -> Op:
        """The (primitive) operation with constants for what it needs of the named variables; made once."""
        known = tuple([(n, values[n]) for n in self.of(part).needs if n in values])
        if not known:
            return part
        found = self._rewritten.get((id(part), known))
        if found is None:
            found = self._rewritten[id(part), known] = part, rewrite(part, dict(known))
        return found[1]

    def _look(self, op: Op) -> OpFact:
        all_reads: set[str] = set()
        needs: set[str] = set()
        sets: set[str] = set()
        writes: set[str] = set()
        teaches = False
        own = self.locals.keys()
        for part in (op,) if not isinstance(op, Block) else primitive(op):
            names = {v.name if isinstance(v, Var) else v.array for v in op_reads(part)}
            if names:
                all_reads |= names
                needs |= (names & own) - sets
            if isinstance(part, Assume):
                teaches = teaches or isinstance(part.cond, Const) or learned_equality(part.cond, self.locals) is not None
                continue
            writes.update(op_writes(part))
            match part:
                case Assign(target=Var(name=n), value=value) if n in own:
                    sets.add(n)
                    teaches = teaches or isinstance(value, Const)
                case Havoc(targets=ts):
                    sets.update([t.name for t in ts if isinstance(t, Var) and t.name in own])
        return OpFact(frozenset(all_reads), frozenset(needs), frozenset(sets), frozenset(writes), self.mask(needs),
                    self.mask(sets), teaches)


def rewrite(op: Op, values: Mapping[str, Expr]) -> Op:
    """The (primitive) operation with the named variables replaced by expressions wherever they are read."""
    def replaced(v: Lvalue) -> Expr | None:
        return values.get(v.name) if isinstance(v, Var) else None

    def expr(e: Expr) -> Expr:
        return fold(substitute(e, replaced))

    def target(t: Lvalue) -> Lvalue:
        return Element(t.array, expr(t.index), t.type) if isinstance(t, Element) else t

    match op:
        case Assume(cond=c):
            return Assume(expr(c))
        case Assign(target=t, value=e):
            return Assign(target(t), expr(e))
        case Havoc(targets=ts, whole=ws):
            return Havoc(tuple(map(target, ts)), ws)
        case _:
            return op


def rewrite_step(step: SketchStep, values: Mapping[str, Expr], facts: OpFacts) -> SketchStep:
    """The step with variables replaced where it reads them before it changes them, accesses included."""
    values = {n: values[n] for n in facts.needs(step) if n in values}
    if not values:
        return step
    known = dict(values)
    ops: list[Op] = []
    for part in primitive(step.op):
        ops.append(rewrite(part, known))
        changed = set(op_writes(part))
        known = {n: e for n, e in known.items() if n not in changed and not changed & {name_of(v) for v in reads(e)}}

    def replaced(v: Lvalue) -> Expr | None:
        return values.get(v.name) if isinstance(v, Var) else None

    accesses = step.accesses
    if accesses and not facts.indices(accesses).isdisjoint(values):
        accesses = tuple(
            replace(a, lvalue=Element(a.lvalue.array, fold(substitute(a.lvalue.index, replaced)), a.lvalue.type))
            if isinstance(a.lvalue, Element) else a
            for a in accesses
        )
    return step.doing(block(ops), accesses)


def block(ops: list[Op]) -> Op:
    """Operations in order as one."""
    return ops[0] if len(ops) == 1 else Block(tuple(ops)) if ops else SKIP


def learned_equality(cond: Expr, locals_: Mapping[str, bool]) -> tuple[str, Const] | None:
    """The register and constant of a guard `register == constant`."""
    match cond:
        case Binary(op="==", left=Read(lvalue=Var(name=n)), right=Const() as c) if n in locals_:
            return n, c
    return None
