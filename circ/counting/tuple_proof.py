"""Closed tuples of local states (`circ.counting.local_tuples`) as the certificate that the kernel checks.

A formula lists the values that variables have together, grouped where they share the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from typing import Any

from circ.abstraction.counters import ContextClass
from circ.abstraction.proof_rows import DisjunctionTable, FormulaTable, ProofPlace, written_rows
from circ.counting.local_states import LocalStates
from circ.counting.local_tuples import CannotExpress, LocalTuples, Together
from circ.semantics.evaluation import Value, cell
from circ.verdict import Certificate, ProofKind
from frontend.program import FALSE, TRUE, Binary, Const, Element, Expr, Lvalue, Read, Scalar, Var, Variable
from frontend.program.connectives import balanced, conjoin, disjoin

MOST_ELEMENTS = 16


def by_pairs(states: LocalStates, check_time: Callable[[], None], most: int | None = None) -> Certificate:
    """The certificate of the closed pairs, or of what the only thread reaches; raises CannotExpress if they show an error."""
    arity = 1 if states.total == 1 else 2
    closed, table = LocalTuples(states, arity, check_time, most), FormulaTable()
    together = [(g, order) for g, keys in closed.found for order in dict.fromkeys(permutations(keys))]
    held = [(g, (*order, holder)) for g, keys, holder in closed.held for order in dict.fromkeys(permutations(keys))]
    body = {"pairs": _rows(states, table, together if arity == 2 else ()), "holders": _rows(states, table, held),
            "singles": _rows(states, table, together if arity == 1 else ())}
    return _certificate(states, ProofKind.PAIRS, body, table)


def by_triples(states: LocalStates, check_time: Callable[[], None], most: int | None = None) -> Certificate:
    """The certificate of the closed triples; raises CannotExpress if they show an error. One order of the places is enough."""
    if any(t.cfa.atomic for t in states.program.templates):
        raise CannotExpress("atomic sections that are no single steps")
    if states.total is not None and states.total < 3:
        raise CannotExpress("fewer than three threads")
    closed, table = LocalTuples(states, 3, check_time, most), FormulaTable()
    together = [(g, order) for g, keys in closed.found for order in dict.fromkeys(permutations(keys))
                if list(_where(states, order)) == sorted(_where(states, order))]
    return _certificate(states, ProofKind.TRIPLES, {"triples": _rows(states, table, together)}, table)


def _certificate(states: LocalStates, kind: ProofKind, body: dict[str, Any], table: FormulaTable) -> Certificate:
    classes = [list(range(t.cfa.size)) for t in states.program.templates]
    return Certificate(states.program.fingerprint(), states.question, kind,
                       {**body, "classes": classes, "formulas": table.written()})


def _where(states: LocalStates, keys: tuple[ContextClass, ...]) -> tuple[ProofPlace, ...]:
    return tuple((key[0], states.thread(key)[0]) for key in keys)


def _rows(states: LocalStates, table: FormulaTable, facts: Iterable[Together]) -> list[list[Any]]:
    by_place: dict[tuple[ProofPlace, ...], list[Together]] = defaultdict(list)
    for g, keys in facts:
        by_place[_where(states, keys)].append((g, keys))
    rows: dict[tuple[ProofPlace, ...], DisjunctionTable] = {
        where: [[table.number(formula(states, parts))]] for where, parts in sorted(by_place.items())}
    return written_rows(rows, {spot: spot[1] for where in rows for spot in where})


def formula(states: LocalStates, facts: Sequence[tuple[int, tuple[ContextClass, ...]]]) -> Expr:
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
