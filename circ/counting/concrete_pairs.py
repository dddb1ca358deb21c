"""A `pairs` certificate over concrete values: the pairs of local states that can occur, closed under a third thread's steps.

The same closure as in `circ.inference.omega`, on local states instead of classes: P holds the pairs (with the globals), K the
pairs beside a third thread inside an atomic section. A formula lists the values, grouped where they share the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from circ.abstraction.connectives import balanced, conjoin, disjoin
from circ.abstraction.counters import Key
from circ.counting.local_states import LocalStates
from circ.semantics.evaluation import Value, cell
from circ.verdict import Certificate, ProofKind
from frontend.program import FALSE, TRUE, Binary, Const, Element, Expr, Lvalue, Read, Scalar, Var, Variable
from frontend.program.exact import show_exact

MOST_PAIRS = 60_000
MOST_ELEMENTS = 16

Pair: TypeAlias = tuple[int, Key, Key]
Held: TypeAlias = tuple[int, Key, Key, Key]


class CannotExpress(Exception):
    """Pairs of threads do not exclude the error, or there are too many of them."""


class TooMany(CannotExpress):
    """There are too many of them."""


def certificate_of(states: LocalStates, check_time: Callable[[], None]) -> Certificate:
    """The certificate of the closed pairs; raises CannotExpress if they show an error."""
    closure = _Closure(states, check_time)
    if states.total == 1:
        closure.alone()
    else:
        closure.run()
    return _write(states, closure)


class _Closure:
    def __init__(self, states: LocalStates, check_time: Callable[[], None]) -> None:
        self.states, self.check_time = states, check_time
        self.singles: dict[tuple[int, Key], None] = {}
        self.pairs: dict[Pair, None] = {}
        self.held: dict[Held, None] = {}
        self.beside: dict[tuple[int, Key], dict[Key, None]] = defaultdict(dict)
        self.queue: list[Pair | Held] = []

    def alone(self) -> None:
        """What the only thread reaches."""
        queue = [(self.states.start_globals, key) for key, _, _ in self.states.starts]
        self.singles.update(dict.fromkeys(queue))
        for g, key in queue:
            if self.states.is_error(key) or self.states.broken(g):
                raise CannotExpress("the thread itself")
            for _, g2, after in self.states.moves(key, g):
                if (g2, after) not in self.singles:
                    self.singles[g2, after] = None
                    queue.append((g2, after))

    def run(self) -> None:
        g = self.states.start_globals
        for one, _, n in self.states.starts:
            for two, _, _ in self.states.starts:
                if one != two or n is None or n > 1:
                    self.add(g, one, two)
        for n, item in enumerate(self.queue):
            if n % 64 == 0:
                self.check_time()
            if len(item) == 3:
                self.expand(*item)
            else:
                self.release(*item)

    def add(self, g: int, one: Key, two: Key) -> None:
        for a, b in ((one, two), (two, one)):
            if (g, a, b) not in self.pairs:
                if self.states.clash(g, a, b) is not None or self.states.is_error(a) or self.states.broken(g):
                    raise CannotExpress("two threads, disturbed by a third")
                self.pairs[g, a, b] = None
                self.beside[g, a][b] = None
                self.queue.append((g, a, b))
        if len(self.pairs) > MOST_PAIRS or len(self.held) > MOST_PAIRS:
            raise TooMany(f"more than {MOST_PAIRS} pairs of local states")

    def expand(self, g: int, one: Key, two: Key) -> None:
        """A step of the first, and of each thread that makes a triple with the two."""
        states = self.states
        if states.atomic(two):
            return
        for taken, g2, after in states.moves(one, g):
            if not taken.guards or states.allows(taken.guards, two):
                self.add(g2, after, two)
        if states.atomic(one):
            return
        third = [key for key in self.beside[g, one] if key in self.beside[g, two] and not states.atomic(key)]
        for key in third:
            if states.exist(one, two, key):
                self.disturb(g, one, two, key)
                self.disturb(g, one, key, two)
                self.disturb(g, two, key, one)

    def disturb(self, g: int, one: Key, two: Key, mover: Key) -> None:
        for taken, g2, after in self.states.moves(mover, g):
            if taken.guards and not all(self.states.allows(taken.guards, key) for key in (one, two)):
                continue
            if self.states.atomic(after):
                for pair in ((one, two), (two, one)):
                    if (g2, *pair, after) not in self.held:
                        self.held[g2, *pair, after] = None
                        self.queue.append((g2, *pair, after))
            else:
                self.add(g2, one, two)

    def release(self, g: int, one: Key, two: Key, holder: Key) -> None:
        """A step of the thread inside its atomic section."""
        self.disturb(g, one, two, holder)


# --------------------------------------------------------------------------------------------------- formulas
def _write(states: LocalStates, closure: _Closure) -> Certificate:
    formulas: dict[str, int] = {}

    def table(parts: Sequence[tuple[int, tuple[Key, ...]]]) -> list[list[int]]:
        text = show_exact(formula(states, parts))
        return [[formulas.setdefault(text, len(formulas))]]

    def rows(facts: Iterator[tuple[int, tuple[Key, ...]]]) -> list[list[Any]]:
        by_place: dict[tuple[int, ...], list[tuple[int, tuple[Key, ...]]]] = defaultdict(list)
        for g, keys in facts:
            by_place[tuple(n for key in keys for n in (key[0], states.thread(key)[0]))].append((g, keys))
        return [[*place, table(parts)] for place, parts in sorted(by_place.items())]

    body = {
        "pairs": rows((g, (a, b)) for g, a, b in closure.pairs),
        "holders": rows((g, (a, b, c)) for g, a, b, c in closure.held),
        "singles": rows((g, (a,)) for g, a in closure.singles),
        "classes": [list(range(t.cfa.size)) for t in states.program.templates],
    }
    return Certificate(states.program.fingerprint(), states.question, ProofKind.PAIRS, {**body, "formulas": list(formulas)})


def formula(states: LocalStates, facts: Sequence[tuple[int, tuple[Key, ...]]]) -> Expr:
    """Holds in exactly the states that the facts stand for, of threads at these locations."""
    cells = list(_columns(states.program.globals, ""))
    local = [list(_columns(states.program.templates[key[0]].locals, f"@{n}")) for n, key in enumerate(facts[0][1], 1)]
    rows = []
    for g, keys in facts:
        row = [_value(states.globals[g], slot, index) for _, slot, index in cells]
        for columns, key in zip(local, keys, strict=True):
            row += [_value(states.thread(key)[1], slot, index) for _, slot, index in columns]
        rows.append(tuple(row))
    return _listed([lvalue for lvalue, _, _ in (*cells, *(c for columns in local for c in columns))], frozenset(rows), {})


def _columns(variables: Sequence[Variable], suffix: str) -> Iterator[tuple[Lvalue, int, int | None]]:
    for slot, v in enumerate(variables):
        if not v.is_array:
            yield Var(v.name + suffix, v.type), slot, None
            continue
        for index in range(min(v.length or 0, MOST_ELEMENTS)):
            yield Element(v.name + suffix, Const(index, Scalar(64, False)), v.type), slot, index


def _value(values: tuple[Value, ...], slot: int, index: int | None) -> int | None:
    value = values[slot]
    if index is None:
        assert not isinstance(value, tuple)
        return value
    assert isinstance(value, tuple)
    return cell(value, index)


def _listed(lvalues: Sequence[Lvalue], rows: frozenset[tuple[int | None, ...]], known: dict[object, Expr]) -> Expr:
    """The rows as a formula: the first column's values grouped by what may follow them."""
    if not rows:
        return FALSE
    if not lvalues:
        return TRUE
    key = (len(lvalues), rows)
    if key not in known:
        rest: dict[int | None, set[tuple[int | None, ...]]] = defaultdict(set)
        for row in rows:
            rest[row[0]].add(row[1:])
        groups: dict[frozenset[tuple[int | None, ...]], list[int | None]] = defaultdict(list)
        for value in sorted(rest, key=lambda v: (v is not None, v or 0)):
            groups[frozenset(rest[value])].append(value)
        parts = []
        for after, values in groups.items():
            tests = [_equal(lvalues[0], v) for v in values]
            parts.append(conjoin(balanced(disjoin, FALSE, tests), _listed(lvalues[1:], after, known)))
        known[key] = balanced(disjoin, FALSE, parts)
    return known[key]


def _equal(lvalue: Lvalue, value: int | None) -> Expr:
    return TRUE if value is None else Binary("==", Read(lvalue), Const(value, lvalue.type))
