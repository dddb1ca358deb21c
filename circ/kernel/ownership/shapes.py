"""What one thread knows of pointers at a location: values as symbols, and what is known of each symbol.

A *link* is a cell that a proof counts: a field of allocated objects, or a root. It is *live*, but for fields that were cut.
In every state of a run (docs/certificate.md, kind `ownership`) each object has at most one live link to it, and a label: the root
from which live links lead to it, or the thread that owns it. Labels agree along live links.

A symbol is some number; a value is a symbol and a distance. `Shape.env` gives the values of registers, of scalars whose lock is
held, and of the addresses of objects that were not made by counting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import TypeAlias

from frontend.records import dataclass

Term: TypeAlias = str | int
"""A register or a guarded scalar by name, or the address of an object."""
Value: TypeAlias = tuple[int, int]
"""A symbol, and what is added to it; the sum lies in the object that the symbol lies in."""
Cell: TypeAlias = tuple[int | str, str]
"""A field (a symbol in the object, its array), or an element of a root (its index as a text over symbols, its array)."""
Label: TypeAlias = tuple[str, str]
"""A root with the index as a text; MINE and TORN for this thread."""
MINE: Label = ("", "mine")
"""Objects of this thread no field of which is cut."""
TORN: Label = ("", "torn")
"""Objects of this thread to which no live link leads and of which some fields are cut."""
NOWHERE: frozenset[Label] = frozenset()

_SYMBOL = re.compile(r"#(\d+)")


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a symbol. It *lies in* an object if it is an address in it."""

    null: bool | None = None
    """It is 0, or it is not."""
    site: int | None = None
    """It lies in no object, or in one of this site."""
    hit: bool = False
    """It lies in an object, of `site`."""
    inside: int | None = None
    """It lies so far behind the start of that object."""
    reach: frozenset[Label] | None = None
    """It lies in no object, or in one with such a label."""
    group: int | None = None
    """It lies in no object, or in one of this thread's to which no live link leads; symbols of two groups never lie in one."""


@dataclass(frozen=True, slots=True)
class Scaled:
    """A symbol is base + index * stride, the index a text of at most 32 bits, within the bounds if there are any.

    `ranged`: and so it is without wrapping around.
    """

    base: int
    stride: int
    index: str
    bounds: tuple[int, int] | None = None
    ranged: bool = False


NOTHING = Fact()
NULL = Fact(null=True, reach=NOWHERE)


@dataclass(slots=True)
class Shape:
    """One of the cases at a location. `held`: locks with their indices; `dead`: templates no thread of which runs, now."""

    held: frozenset[Label] = frozenset()
    dead: frozenset[int] = frozenset()
    env: dict[Term, Value] = field(default_factory=dict)
    facts: dict[int, Fact] = field(default_factory=dict)
    cells: dict[Cell, Value] = field(default_factory=dict)
    cuts: dict[int, frozenset[str]] = field(default_factory=dict)
    """By group the fields that may be cut in its objects."""
    scaled: dict[int, Scaled] = field(default_factory=dict)
    """Addresses of elements of arrays."""
    top: int = 0
    """No symbol has a greater number."""

    def copy(self) -> Shape:
        return Shape(self.held, self.dead, dict(self.env), dict(self.facts), dict(self.cells), dict(self.cuts), dict(self.scaled),
                     self.top)

    # ----------------------------------------------------------------------------------------------- what is known
    def fact(self, symbol: int) -> Fact:
        return self.facts.get(symbol, NOTHING)

    def labels(self, symbol: int) -> frozenset[Label] | None:
        """The labels that the object may have; none if it lies in no object; None if nothing is known."""
        f = self.fact(symbol)
        if f.reach is not None:
            return f.reach
        if f.group is None:
            return None
        return frozenset((MINE, TORN)) if self.cuts.get(f.group) else frozenset((MINE,))

    def is_void(self, symbol: int) -> bool:
        """Whether it surely lies in no object."""
        return self.fact(symbol).reach == NOWHERE

    def distinct(self, a: int, b: int) -> bool:
        """Whether the two surely do not lie in one object."""
        if a == b:
            return self.is_void(a)
        f, g = self.fact(a), self.fact(b)
        if f.group is not None and g.group is not None and f.group != g.group:
            return True
        if f.site is not None and g.site is not None and f.site != g.site:
            return True
        mine, other = self.labels(a), self.labels(b)
        if mine is not None and other is not None and not mine & other:
            return True
        return any(c == a and (b, name) in self.cells and self._differ(v, self.cells[b, name])
                   for (c, name), v in self.cells.items())

    def _differ(self, v: Value, w: Value) -> bool:
        if v[0] == w[0]:
            return v[1] != w[1]
        one, two = self.fact(v[0]).null, self.fact(w[0]).null
        return v[1] == 0 == w[1] and one is not None and two is not None and one != two

    # ----------------------------------------------------------------------------------------------- changes
    def fresh(self, fact: Fact = NOTHING) -> Value:
        self.top += 1
        if fact != NOTHING:
            self.facts[self.top] = fact
        return self.top, 0

    def new_group(self, cut: frozenset[str] = frozenset()) -> int:
        number = 1 + max((g for f in self.facts.values() if (g := f.group) is not None), default=0)
        self.cuts.pop(number, None)
        if cut:
            self.cuts[number] = cut
        return number

    def own(self, symbol: int) -> None:
        """The object becomes this thread's, in a group of its own."""
        if not self.is_void(symbol):
            self.facts[symbol] = replace(self.fact(symbol), reach=None, group=self.new_group())

    def relabel(self, when: Iterable[Label], more: frozenset[Label], but: Callable[[int], bool] = lambda s: False) -> None:
        """Objects with one of the labels may now have one of `more` instead."""
        some = frozenset(when)
        for s, f in list(self.facts.items()):
            if f.reach is not None and f.reach & some and not but(s):
                self.facts[s] = replace(f, reach=f.reach | more)

    def forget_labels(self, gone: Callable[[Label], bool], label: Callable[[str, str], Label]) -> None:
        """Others may change objects and roots with these labels from now on; `label`: that of an element of a root."""
        for s, f in list(self.facts.items()):
            if f.reach is not None and any(map(gone, f.reach)):
                self.facts[s] = replace(f, reach=None)
        self.cells = {(c, name): v for (c, name), v in self.cells.items()
                      if (self.labels(c) is not None if isinstance(c, int) else not gone(label(name, c)))}

    def cut(self, symbol: int, name: str) -> None:
        """The field of the thread's own object is no live link any more; what it was one to has none then."""
        group = self.fact(symbol).group
        assert group is not None
        self.cuts[group] = self.cuts.get(group, frozenset()) | {name}
        self.relabel((MINE,), frozenset((TORN,)))

    # ----------------------------------------------------------------------------------------------- canonical form
    def tidy(self) -> Shape:
        """The same without symbols that nothing names, and with numbers by the order in which they are named."""
        numbers: dict[int, int] = {}
        todo: list[int] = []

        def number(s: int) -> int:
            if s not in numbers:
                numbers[s] = len(numbers) + 1
                todo.append(s)
            return numbers[s]

        env = {t: (number(s), off) for t, (s, off) in sorted(self.env.items(), key=lambda x: (isinstance(x[0], int), x[0]))}
        scales = [self.scaled[s].index for s in list(numbers) if s in self.scaled]
        for index in (*(index for _, index in sorted(self.held)), *scales):
            for s in symbols_in(index):
                number(s)
        cells: dict[Cell, Value] = {}
        rest = dict(sorted(self.cells.items(), key=lambda x: (x[0][1], isinstance(x[0][0], str), x[0][0])))
        while True:
            found = [(c, n) for c, n in rest if all(s in numbers for s in ((c,) if isinstance(c, int) else symbols_in(c)))]
            if not found:
                break
            for c, n in found:
                s, off = rest.pop((c, n))
                cells[c, n] = (number(s), off)

        def label(x: Label) -> Label | None:
            return (x[0], renamed(x[1], numbers)) if all(s in numbers for s in symbols_in(x[1])) else None

        groups: dict[int, int] = {}
        facts: dict[int, Fact] = {}
        for s in numbers:
            f = self.facts.get(s)
            if f is None:
                continue
            reach = None if f.reach is None else [label(x) for x in f.reach]
            known = None if reach is None or None in reach else frozenset(x for x in reach if x is not None)
            group = None if f.group is None else groups.setdefault(f.group, len(groups) + 1)
            if (f := replace(f, reach=known, group=group)) != NOTHING:
                facts[numbers[s]] = f
        named = {(numbers[c] if isinstance(c, int) else renamed(c, numbers), n): v for (c, n), v in cells.items()}
        held = frozenset((name, renamed(index, numbers)) for name, index in self.held)
        kept = {c: v for c, v in named.items() if isinstance(c[0], str) or _known(facts, c[0])}
        cuts = {groups[g]: c for g, c in self.cuts.items() if g in groups and c}
        scaled = {n: replace(x, index=renamed(x.index, numbers)) for s, n in numbers.items()
                  if (x := self.scaled.get(s)) is not None and all(t in numbers for t in symbols_in(x.index))}
        return Shape(held, self.dead, env, facts, kept, cuts, scaled, len(numbers))


def _known(facts: Mapping[int, Fact], symbol: int) -> bool:
    f = facts.get(symbol, NOTHING)
    return f.reach is not None or f.group is not None


def symbols_in(index: str) -> list[int]:
    """The symbols that the text of an index names."""
    return [int(n) for n in _SYMBOL.findall(index)]


def renamed(index: str, numbers: Mapping[int, int]) -> str:
    return _SYMBOL.sub(lambda m: f"#{numbers.get(int(m[1]), 0)}", index) if "#" in index else index


def aligned(one: str, two: str) -> list[tuple[int, int]] | None:
    """The symbols of two texts that differ in nothing else, pair by pair."""
    if _SYMBOL.sub("#", one) != _SYMBOL.sub("#", two):
        return None
    return list(zip(symbols_in(one), symbols_in(two), strict=True))
