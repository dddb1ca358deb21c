"""A closed set of pairs (`circ.static.pairing`) as the certificate that the kernel checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from circ.abstraction.proof_rows import TRUE_TABLE, DisjunctionTable, FormulaTable, ProofPlace, representatives, written_rows
from circ.static.arguments.argument import Argument, of_thread
from circ.static.outline import Outline
from circ.static.pairing import Pairing, RegionThread
from circ.static.regions import Regions
from circ.static.values import ValueSet, anything
from frontend.program import Binary, Const, Expr, Lvalue, Read, Var
from frontend.program.connectives import any_of
from frontend.program.exact import show_exact

Conjunctions: TypeAlias = dict[tuple[int, ...], None]
"""Conjunctions of formulas by their numbers, one of which holds."""


def pairs_body(
    seen: Outline, regions: Sequence[Regions], pairing: Pairing, arguments: Sequence[Argument]
) -> dict[str, Any]:
    """The pairs as rows; regions about which all rows say the same become one class."""
    return RegionPairsWriter(seen, regions, pairing, arguments).body()


class RegionPairsWriter:
    def __init__(self, seen: Outline, regions: Sequence[Regions], pairing: Pairing, arguments: Sequence[Argument]) -> None:
        self.seen, self.regions, self.pairing, self.arguments = seen, regions, pairing, arguments
        self.own = [frozenset(v.name for v in view.template.locals) for view in regions]
        self._said: dict[tuple[ProofPlace, ...], tuple[int, ...]] = {}
        self.formulas = FormulaTable()
        self._states: dict[int, tuple[int, ...]] = {}
        self._literals: dict[tuple[Lvalue, ValueSet, int], tuple[int, ...]] = {}

    def body(self) -> dict[str, Any]:
        pairs: dict[tuple[ProofPlace, ...], Conjunctions] = {}
        for (i, j), states in self.pairing.pairs.items():
            one, two = self.pairing.threads[i], self.pairing.threads[j]
            for a, b in ((one, two), (two, one)):
                self._put(pairs.setdefault((a[:2], b[:2]), {}), (a, b), states)
        holders: dict[tuple[ProofPlace, ...], Conjunctions] = {}
        for (i, j, k), states in self.pairing.holders.items():
            one, two, three = (self.pairing.threads[n] for n in (i, j, k))
            for a, b in ((one, two), (two, one)):
                self._put(holders.setdefault((a[:2], b[:2], three[:2]), {}), (a, b, three), states)
        chosen = self._classes(pairs, holders)
        every = {spots: self._everywhere(spots) for spots in pairs}
        body: dict[str, Any] = {
            "classes": [self._classes_of(t, chosen) for t in range(len(self.regions))],
            "pairs": _rows(pairs, chosen),
            "formulas": self.formulas.written(),
        }
        if holders:
            body["holders"] = _rows(holders, chosen)
        if any(every.values()):
            body["every"] = _rows({spots: {said: None} for spots, said in every.items() if said}, chosen)
        counting = [self._count(e, weights, chosen) for arg in self.arguments for e, weights in arg.counting()]
        if counting:
            body["counting"] = counting
        return body

    def _classes_of(self, t: int, chosen: dict[ProofPlace, int]) -> list[int]:
        """The class of each location of the program's own automaton; one that no path leads to is alone."""
        found = []
        for q, first in enumerate(self.seen.first[t]):
            region = None if first is None else self.regions[t].of[first]
            found.append(q if region is None else chosen[t, region])
        return found

    def _count(self, e: Expr, weights: Sequence[Sequence[int]], chosen: dict[ProofPlace, int]) -> dict[str, Any]:
        """A counting fact by class; a region has one weight."""
        found = []
        for t, view in enumerate(self.regions):
            ws = [0] * (1 + max(self._classes_of(t, chosen)))
            for r in view.moves:
                ws[chosen[t, r]] = weights[t][r]
            found.append(ws)
        return {"expr": show_exact(e), "weights": found}

    def _classes(self, pairs: dict[tuple[ProofPlace, ...], Conjunctions],
                 holders: dict[tuple[ProofPlace, ...], Conjunctions]) -> dict[ProofPlace, int]:
        """The class of each region: the first region of its template with the same label and the same rows."""
        labels = {(t, r): view.labels[r] for t, view in enumerate(self.regions) for r in view.moves}
        return representatives(labels, labels, ((spots, tuple(sorted(c))) for spots, c in (*pairs.items(), *holders.items())))

    # ----------------------------------------------------------------------------------------------- formulas
    def _put(self, dnf: Conjunctions, threads: Sequence[RegionThread], states: Iterable[int]) -> None:
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

    def _argued(self, spots: tuple[ProofPlace, ...]) -> tuple[int, ...]:
        """What the arguments say of the first two threads there; a third is in rows of its own with each of them."""
        if spots not in self._said:
            found: list[Expr] = []
            for arg in self.arguments:
                for slot, spot in enumerate(spots[:2], 1):
                    found += (of_thread(e, slot, self.own[spot[0]]) for e in arg.alone(spot))
                found += arg.together(spots[0], spots[1])
            self._said[spots] = tuple(dict.fromkeys(self.formulas.number(e) for e in found))
        return self._said[spots]

    def _everywhere(self, spots: tuple[ProofPlace, ...]) -> tuple[int, ...]:
        """What the arguments say of every index while two threads are there."""
        found = [of_thread(e, slot, self.own[spot[0]]) for arg in self.arguments for slot, spot in enumerate(spots, 1)
                 for e in arg.everywhere(spot)]
        return tuple(dict.fromkeys(self.formulas.number(e) for e in found))

    def _literal(self, cell: Lvalue, v: ValueSet, slot: int) -> tuple[int, ...]:
        """Positions of formulas which say together that the cell's value is in the set."""
        key = (cell, v, slot)
        if key not in self._literals:
            made: list[Expr] = []
            if v != anything(cell.type):
                named = Var(f"{cell.name}@{slot}", cell.type) if slot and isinstance(cell, Var) else cell
                equal = [Binary("!=" if v.others else "==", Read(named), Const(x, cell.type)) for x in sorted(v.values)]
                made = list(equal) if v.others else [any_of(equal)]
            self._literals[key] = tuple(self.formulas.number(e) for e in made)
        return self._literals[key]


def _rows(rows: Mapping[tuple[ProofPlace, ...], Conjunctions], chosen: dict[ProofPlace, int]) -> list[list[Any]]:
    """Rows by class. Of two rows about the same threads in exchanged order one says everything, the other nothing."""
    def said(spots: tuple[ProofPlace, ...], conjunctions: Conjunctions) -> DisjunctionTable:
        one, two = ((t, chosen[t, r]) for t, r in spots[:2])
        return [list(c) for c in conjunctions] if one <= two else TRUE_TABLE

    return sorted(written_rows({spots: said(spots, c) for spots, c in rows.items()}, chosen), key=lambda row: row[:-1])
