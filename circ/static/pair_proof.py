"""A closed set of pairs (`circ.static.pairing`) as the certificate that the kernel checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from circ.static.arguments.argument import Argument, Spot, of_thread
from circ.static.outline import Outline
from circ.static.pairing import Pairing, ThreadState
from circ.static.regions import Regions
from circ.static.values import ValueSet, anything
from frontend.program import Binary, Const, Expr, Lvalue, Read, Var
from frontend.program.exact import show_exact

Dnf: TypeAlias = dict[tuple[int, ...], None]

TRUE_ROW: list[list[int]] = [[]]


def pairs_body(
    seen: Outline, regions: Sequence[Regions], pairing: Pairing, arguments: Sequence[Argument]
) -> dict[str, Any]:
    """The pairs as rows; regions about which all rows say the same become one class."""
    return _Writer(seen, regions, pairing, arguments).body()


class _Writer:
    def __init__(self, seen: Outline, regions: Sequence[Regions], pairing: Pairing, arguments: Sequence[Argument]) -> None:
        self.seen, self.regions, self.pairing, self.arguments = seen, regions, pairing, arguments
        self.own = [frozenset(v.name for v in view.template.locals) for view in regions]
        self._said: dict[tuple[Spot, ...], tuple[int, ...]] = {}
        self.formulas: dict[str, int] = {}
        self._states: dict[int, tuple[int, ...]] = {}
        self._literals: dict[tuple[Lvalue, ValueSet, int], tuple[int, ...]] = {}

    def body(self) -> dict[str, Any]:
        pairs: dict[tuple[Spot, Spot], Dnf] = {}
        for (i, j), states in self.pairing.pairs.items():
            one, two = self.pairing.threads[i], self.pairing.threads[j]
            for a, b in ((one, two), (two, one)):
                self._put(pairs.setdefault((a[:2], b[:2]), {}), (a, b), states)
        holders: dict[tuple[Spot, Spot, Spot], Dnf] = {}
        for (i, j, k), states in self.pairing.holders.items():
            one, two, three = (self.pairing.threads[n] for n in (i, j, k))
            for a, b in ((one, two), (two, one)):
                self._put(holders.setdefault((a[:2], b[:2], three[:2]), {}), (a, b, three), states)
        chosen = self._classes(pairs, holders)
        every = {spots: self._everywhere(spots) for spots in pairs}
        body: dict[str, Any] = {
            "classes": [self._classes_of(t, chosen) for t in range(len(self.regions))],
            "pairs": _rows(pairs, chosen),
            "formulas": list(self.formulas),
        }
        if holders:
            body["holders"] = _rows(holders, chosen)
        if any(every.values()):
            body["every"] = _rows({spots: {said: None} for spots, said in every.items() if said}, chosen)
        counting = [self._count(e, weights, chosen) for arg in self.arguments for e, weights in arg.counting()]
        if counting:
            body["counting"] = counting
        return body

    def _classes_of(self, t: int, chosen: dict[Spot, int]) -> list[int]:
        """The class of each location of the program's own automaton; one that no path leads to is alone."""
        found = []
        for q, first in enumerate(self.seen.first[t]):
            region = None if first is None else self.regions[t].of[first]
            found.append(q if region is None else chosen[t, region])
        return found

    def _count(self, e: Expr, weights: Sequence[Sequence[int]], chosen: dict[Spot, int]) -> dict[str, Any]:
        """A counting fact by class; a region has one weight."""
        found = []
        for t, view in enumerate(self.regions):
            ws = [0] * (1 + max(self._classes_of(t, chosen)))
            for r in view.moves:
                ws[chosen[t, r]] = weights[t][r]
            found.append(ws)
        return {"expr": show_exact(e), "weights": found}

    def _classes(self, pairs: dict[tuple[Spot, Spot], Dnf], holders: dict[tuple[Spot, Spot, Spot], Dnf]) -> dict[Spot, int]:
        """The class of each region: the first region of its template with the same label and the same rows."""
        about: dict[Spot, list[tuple[object, ...]]] = {}
        for spots, dnf in (*pairs.items(), *holders.items()):
            said = tuple(sorted(dnf))
            for n, spot in enumerate(spots):
                about.setdefault(spot, []).append((n, *(s for m, s in enumerate(spots) if m != n), said))
        found: dict[object, int] = {}
        chosen: dict[Spot, int] = {}
        for t, view in enumerate(self.regions):
            for r in view.moves:
                rows = frozenset(about.get((t, r), ()))
                chosen[t, r] = found.setdefault((t, view.labels[r], rows), r)
        return chosen

    # ----------------------------------------------------------------------------------------------- formulas
    def _put(self, dnf: Dnf, threads: Sequence[ThreadState], states: Iterable[int]) -> None:
        own = [f for slot, (t, _, values) in enumerate(threads, 1)
               for cell, v in zip(self.regions[t].own, values, strict=True) for f in self._literal(cell, v, slot)]
        own += self._argued(tuple(t[:2] for t in threads))
        for n in states:
            dnf[(*self._shared(n), *own)] = None

    def _shared(self, n: int) -> tuple[int, ...]:
        if n not in self._states:
            g = self.pairing.lattice.states[n]
            cells = zip(self.regions[0].globals, g, strict=True)
            self._states[n] = tuple(f for cell, v in cells for f in self._literal(cell, v, 0))
        return self._states[n]

    def _argued(self, spots: tuple[Spot, ...]) -> tuple[int, ...]:
        """What the arguments say of the first two threads there; a third is in rows of its own with each of them."""
        if spots not in self._said:
            found: list[Expr] = []
            for arg in self.arguments:
                for slot, spot in enumerate(spots[:2], 1):
                    found += (of_thread(e, slot, self.own[spot[0]]) for e in arg.alone(spot))
                found += arg.together(spots[0], spots[1])
            self._said[spots] = tuple(dict.fromkeys(self.formulas.setdefault(show_exact(e), len(self.formulas)) for e in found))
        return self._said[spots]

    def _everywhere(self, spots: tuple[Spot, Spot]) -> tuple[int, ...]:
        """What the arguments say of every index while two threads are there."""
        found = [of_thread(e, slot, self.own[spot[0]]) for arg in self.arguments for slot, spot in enumerate(spots, 1)
                 for e in arg.everywhere(spot)]
        return tuple(dict.fromkeys(self.formulas.setdefault(show_exact(e), len(self.formulas)) for e in found))

    def _literal(self, cell: Lvalue, v: ValueSet, slot: int) -> tuple[int, ...]:
        """Positions of formulas which say together that the cell's value is in the set."""
        key = (cell, v, slot)
        if key not in self._literals:
            made: list[Expr] = []
            if v != anything(cell.type):
                named = Var(f"{cell.name}@{slot}", cell.type) if slot and isinstance(cell, Var) else cell
                equal = [Binary("!=" if v.others else "==", Read(named), Const(x, cell.type)) for x in sorted(v.values)]
                made = list(equal) if v.others else [_any(equal)]
            self._literals[key] = tuple(self.formulas.setdefault(show_exact(e), len(self.formulas)) for e in made)
        return self._literals[key]


def _rows(rows: dict[Any, Dnf], chosen: dict[Spot, int]) -> list[list[Any]]:
    """Rows by class. Of two rows about the same threads in exchanged order one says everything, the other nothing."""
    found: dict[tuple[int, ...], list[list[int]]] = {}
    for spots, dnf in rows.items():
        places = [(t, chosen[t, r]) for t, r in spots]
        row = [list(c) for c in dnf] if places[0] <= places[1] else TRUE_ROW
        found.setdefault(tuple(n for place in places for n in place), row)
    return [[*where, found[where]] for where in sorted(found)]


def _any(parts: Sequence[Expr]) -> Expr:
    result = parts[0]
    for e in parts[1:]:
        result = Binary("||", result, e)
    return result
