"""What a thread knows of its own locals at a location, whichever way it came: copies, conditions that it passed, elements of
lock arrays that it holds. A forward analysis on one template; facts die when a local in them is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from circ.static.arguments.element_addresses import AddressRange, element_of, range_tested
from frontend.program import (
    AllAt,
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Edge,
    Element,
    Expr,
    Havoc,
    Ite,
    Lvalue,
    Read,
    Scalar,
    ThreadTemplate,
    Unary,
    Var,
    negate,
    primitive,
    substitute,
    truth,
    variables,
)
from frontend.program.connectives import conjuncts
from frontend.records import dataclass

MOST_NODES = 40
"""Of an expression that a local is known to be equal to."""


@dataclass(frozen=True, slots=True)
class OwnElement:
    """`array[index]` has the value that this thread gave it when it was 0; the index is over locals."""

    array: str
    index: Expr
    value: int
    type: Scalar

    @property
    def cell(self) -> Element:
        return Element(self.array, self.index, self.type)


@dataclass(frozen=True, slots=True)
class LocalFacts:
    """`copies`: locals with the expression, over other locals, that they are equal to; `passed`: conditions over locals.

    `places`: pointers that walk from an array into other memory: as long as they are in a range, they equal an expression.
    """

    copies: frozenset[tuple[Var, Expr]] = frozenset()
    passed: frozenset[Expr] = frozenset()
    held: frozenset[OwnElement] = frozenset()
    places: frozenset[tuple[AddressRange, Expr]] = frozenset()

    def root(self, e: Expr) -> Expr:
        """The expression with copies replaced by what they are copies of."""
        known = {**{place.pointer: value for place, value in self.places if place.condition in self.passed}, **dict(self.copies)}
        if not known or not variables(e) & {v.name for v in known}:
            return e
        return element_of(substitute(e, lambda v: known.get(v) if isinstance(v, Var) else None))

    def without(self, name: str) -> LocalFacts:
        """What is left when this local is written."""
        return LocalFacts(frozenset((v, e) for v, e in self.copies if v.name != name and name not in variables(e)),
                     frozenset(c for c in self.passed if name not in variables(c)),
                     frozenset(h for h in self.held if name not in variables(h.index)),
                     frozenset((p, e) for p, e in self.places if p.pointer.name != name and name not in variables(e)))

    def formulas(self) -> Iterator[Expr]:
        """The copies and conditions as conditions, in a fixed order."""
        yield from sorted((Binary("==", Read(v), e) for v, e in self.copies), key=repr)
        yield from sorted((Binary("||", negate(p.condition), Binary("==", Read(p.pointer), e)) for p, e in self.places), key=repr)
        yield from sorted(self.passed, key=repr)


NOTHING = LocalFacts()


class OwnFacts:
    """The facts at each location of a template; None where no path leads. Only `wanted` locals, and what they are copies of,
    occur in copies and conditions."""

    def __init__(self, template: ThreadTemplate, arrays: frozenset[str], wanted: frozenset[str]) -> None:
        self.template, self.arrays = template, arrays
        self.own = frozenset(v.name for v in template.locals if not v.is_array)
        self.wanted = self._with_sources(wanted)
        self.ranges = self._ranges()
        self.at: list[LocalFacts | None] = template.cfa.forward(NOTHING, self.after, self.meet)

    def _ranges(self) -> dict[Var, tuple[AddressRange, ...]]:
        """The ranges that the template tests wanted pointers for."""
        found: dict[Var, dict[AddressRange, None]] = {}
        for e in self.template.cfa.edges:
            for part in primitive(e.op):
                for condition in conjuncts(truth(part.cond)) if isinstance(part, Assume) else ():
                    tested = range_tested(condition)
                    if tested is not None and tested.pointer.name in self.wanted & self.own:
                        found.setdefault(tested.pointer, {})[tested] = None
        return {v: tuple(ranges) for v, ranges in found.items()}

    def meet(self, one: LocalFacts, two: LocalFacts) -> LocalFacts:
        """What holds on both ways: a pointer that is in a range on one of them only is known there as it was."""
        copies = one.copies & two.copies
        candidates = (one.places | two.places).union(
            (place, value) for v, value in one.copies ^ two.copies for place in self.ranges.get(v, ()) if place.has(value))
        places = frozenset((place, value) for place, value in candidates if (place.pointer, value) not in copies
                           and all(_in_place(facts, place, value) for facts in (one, two)))
        return LocalFacts(copies, one.passed & two.passed, one.held & two.held, places)

    def _with_sources(self, wanted: frozenset[str]) -> frozenset[str]:
        found = set(wanted)
        size = -1
        while len(found) != size:
            size = len(found)
            for e in self.template.cfa.edges:
                for part in primitive(e.op):
                    if isinstance(part, Assign) and isinstance(part.target, Var) and part.target.name in found \
                            and variables(part.value) <= self.own:
                        found |= variables(part.value)
        return frozenset(found)

    def after(self, facts: LocalFacts, edge: Edge) -> LocalFacts:
        free: set[tuple[str, Expr]] = set()
        for part in primitive(edge.op):
            match part:
                case Assume(cond=c):
                    for condition in conjuncts(truth(c)):
                        names = variables(condition)
                        if names and names <= self.wanted & self.own:
                            facts = replace(facts, passed=facts.passed | {condition})
                    free |= {(v.array, facts.root(v.index)) for v in _tested_free(c, self.arrays)}
                case Assign(target=Var(name=n) as v, value=e) if n in self.wanted:
                    value = facts.root(e)
                    facts = facts.without(n)
                    names = variables(value)
                    if names and names <= self.wanted & self.own and n not in names and _size(value) <= MOST_NODES:
                        facts = replace(facts, copies=facts.copies | {(v, value)})
                case Assign(target=Element(array=a) as target, value=e):
                    if a in self.arrays:
                        facts = self._stored(facts, target, e, free)
                case Assign() | AllAt():
                    pass
                case Havoc(targets=ts, whole=ws):
                    for t in ts:
                        if isinstance(t, Var) and t.name in self.wanted:
                            facts = facts.without(t.name)
                    gone = {*ws, *(t.array for t in ts if isinstance(t, Element))}
                    facts = replace(facts, held=frozenset(h for h in facts.held if h.array not in gone))
        return facts

    def _stored(self, facts: LocalFacts, target: Element, e: Expr, free: set[tuple[str, Expr]]) -> LocalFacts:
        """A write to a lock array: it takes an element that was free, or else nothing is known to be held there any more."""
        index = facts.root(target.index)
        if isinstance(e, Const) and e.value and (target.array, index) in free and variables(index) <= self.wanted & self.own:
            return replace(facts, held=facts.held | {OwnElement(target.array, index, e.value, target.type)})
        return replace(facts, held=frozenset(h for h in facts.held if h.array != target.array))

    def rogue(self, q: int, edge: Edge) -> set[str]:
        """Lock arrays that the edge from q writes though the thread neither takes nor holds what it writes."""
        facts = self.at[q] or NOTHING
        free: set[tuple[str, Expr]] = set()
        found: set[str] = set()
        for part in primitive(edge.op):
            match part:
                case Assume(cond=c):
                    free |= {(v.array, facts.root(v.index)) for v in _tested_free(c, self.arrays)}
                case Assign(target=Element(array=a, index=i)) if a in self.arrays:
                    index = facts.root(i)
                    if (a, index) not in free and not any(h.array == a and h.index == index for h in facts.held):
                        found.add(a)
                case Havoc(targets=ts, whole=ws):
                    found |= {n for n in (*ws, *(t.array for t in ts if isinstance(t, Element))) if n in self.arrays}
                case _:
                    pass
        return found


def _in_place(facts: LocalFacts, place: AddressRange, value: Expr) -> bool:
    """Whether a pointer is equal to the value if it is in the range, as far as the facts tell."""
    return (place.pointer, value) in facts.copies or (place, value) in facts.places or any(
        v == place.pointer and place.misses(other, facts.passed) for v, other in facts.copies)


def _tested_free(c: Expr, arrays: frozenset[str]) -> Iterator[Element]:
    """Elements of lock arrays that are 0 if the condition holds."""
    for part in conjuncts(truth(c)):
        match part:
            case Binary(op="==", left=Read(lvalue=Element() as v), right=Const(value=0)) if v.array in arrays:
                yield v


def _size(e: Expr) -> int:
    match e:
        case Unary(arg=a) | Cast(arg=a):
            return 1 + _size(a)
        case Binary(left=a, right=b):
            return 1 + _size(a) + _size(b)
        case Ite(cond=c, then=a, other=b):
            return 1 + _size(c) + _size(a) + _size(b)
        case Read(lvalue=Element(index=i)):
            return 1 + _size(i)
        case Const() | Read():
            return 1
        case _:
            assert_never(e)


def lock_arrays(template: ThreadTemplate) -> Iterator[str]:
    """Arrays of which a step tests an element for 0 and sets it, with an index that is not constant."""
    for e in template.cfa.edges:
        tested: list[Lvalue] = []
        for part in primitive(e.op):
            match part:
                case Assume(cond=c):
                    tested += [p.left.lvalue for p in conjuncts(truth(c))
                               if isinstance(p, Binary) and p.op == "==" and isinstance(p.left, Read)]
                case Assign(target=Element(array=a, index=i) as v) if v in tested and not isinstance(i, Const):
                    yield a
                case _:
                    pass
