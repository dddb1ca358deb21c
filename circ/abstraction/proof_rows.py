"""What all writers of `pairs` and `triples` certificates share: the table of formulas, rows by spot, spots that become one class.

Three closures find such proofs, and they stay three. `circ.inference.omega` pairs abstract states with classes of an ACFA
and grows the ARGs on the way; `circ.counting.local_tuples` enumerates concrete local states, for any arity;
`circ.static.pairing` joins sets of values and numbers everything for speed. They share the rules of the kernel
(`circ.kernel.pairs`), but neither states nor steps nor joins: one closure with all of these as parameters would pay a call
for each, in the innermost loops of three engines, and be harder to read than any of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeAlias

from frontend.program import Expr
from frontend.program.exact import show_exact

ProofPlace: TypeAlias = tuple[int, int]
"""A template, and a place in it by whatever number the writer uses: a node of a skeleton, a region, a location."""
DisjunctionTable: TypeAlias = list[list[int]]
"""A disjunction of conjunctions of formulas, by their numbers; `[[]]` is true."""
TRUE_TABLE: DisjunctionTable = [[]]


class FormulaTable:
    """The formulas of a certificate, each text once; rows name them by number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.texts: dict[Expr, str] = {}
        # By identity, since hashing a formula walks through all of it; the formula is kept, so that its identity stays its own.
        self._seen: dict[int, tuple[Expr, int]] = {}

    def number(self, e: Expr) -> int:
        if id(e) not in self._seen:
            if e not in self.texts:
                self.texts[e] = show_exact(e)
            self._seen[id(e)] = (e, self._numbers.setdefault(self.texts[e], len(self._numbers)))
        return self._seen[id(e)][1]

    def written(self) -> list[str]:
        """As a certificate has them."""
        return list(self._numbers)


def representatives(
    spots: Iterable[ProofPlace], labels: Mapping[ProofPlace, Hashable], rows: Iterable[tuple[tuple[ProofPlace, ...], Hashable]]
) -> dict[ProofPlace, int]:
    """For each spot the first one of its template with the same label of which the rows say the same.

    Spots with one representative can be one class: fewer rows, and fewer obligations. The label is what the kernel tells
    locations apart by whatever the rows say (atomic sections, places that others wait for).
    """
    about: dict[ProofPlace, list[tuple[Hashable, ...]]] = defaultdict(list)
    for where, said in rows:
        for n, spot in enumerate(where):
            about[spot].append((n, *where[:n], *where[n + 1:], said))
    first: dict[Hashable, int] = {}
    return {spot: first.setdefault((spot[0], labels[spot], frozenset(about.get(spot, ()))), spot[1]) for spot in spots}


def written_rows(rows: Mapping[tuple[ProofPlace, ...], DisjunctionTable], classes: Mapping[ProofPlace, int]) -> list[list[Any]]:
    """The rows as a certificate has them, one for the spots of a class; the first is as good as any."""
    found: dict[tuple[int, ...], DisjunctionTable] = {}
    for where, table in rows.items():
        found.setdefault(tuple(n for t, place in where for n in (t, classes[t, place])), table)
    return [[*where, table] for where, table in found.items()]
