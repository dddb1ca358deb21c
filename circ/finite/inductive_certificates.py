"""Writes what a modular engine has proved as an `inductive` certificate: one fact for each group of identical threads.

A fact is a decision diagram over the globals, the thread's own location and cells, counters of exposed classes and, for
threads that are alone in their group, the others' locations and cells. All facts together, one for each thread, are the
invariant. The kernel (circ/kernel/finite/inductive.py) reads the same data but shares no code with this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from circ.finite.modular import Modular, Parts
from circ.finite.system import ATOMIC, FiniteCell, FiniteSystem, ThreadGroup
from circ.verdict import Certificate, ProofKind

DiagramVariable: TypeAlias = tuple[str | int | None, ...]
FALSE, TRUE = 0, 1


class Diagram:
    """Hash-consed decision nodes; 0 is false, 1 is true, node n is `nodes[n - 2]`."""

    def __init__(self) -> None:
        self.nodes: list[list[Any]] = []
        self._known: dict[tuple[object, ...], int] = {}

    def node(self, reference: DiagramVariable, branches: Iterable[tuple[int, int]], everything: Sequence[int]) -> int:
        """Tests `reference`: a value leads to its child, any other value to false. No test if all values agree."""
        by_child: dict[int, list[int]] = {}
        for value, child in branches:
            if child != FALSE:
                by_child.setdefault(child, []).append(value)
        if not by_child:
            return FALSE
        if len(by_child) == 1 and len(next(iter(by_child.values()))) == len(everything):
            return next(iter(by_child))
        key = (reference, tuple((c, tuple(sorted(vs))) for c, vs in sorted(by_child.items())))
        found = self._known.get(key)
        if found is None:
            self.nodes.append([list(reference), [[sorted(vs), c] for c, vs in sorted(by_child.items())]])
            found = self._known[key] = len(self.nodes) + 1
        return found

    def of_rows(self, references: Sequence[DiagramVariable], domains: Sequence[Sequence[int]],
                rows: Iterable[tuple[int, ...]]) -> int:
        """The diagram of a set of rows, one column for each reference."""
        def build(part: list[tuple[int, ...]], depth: int) -> int:
            if depth == len(references):
                return TRUE if part else FALSE
            by_value: dict[int, list[tuple[int, ...]]] = {}
            for row in part:
                by_value.setdefault(row[depth], []).append(row)
            branches = [(v, build(by_value[v], depth + 1)) for v in sorted(by_value)]
            return self.node(references[depth], branches, domains[depth])

        return build(list(rows), 0)


def global_reference(cell: FiniteCell) -> DiagramVariable:
    return ("atomic",) if cell.name == ATOMIC else ("global", cell.name, cell.element)


def modular_certificate(system: FiniteSystem, result: Modular) -> Certificate:
    """The certificate of an R without error states, with the counters of the exposed classes."""
    diagram = Diagram()
    classes = result.classes
    counters = [(i, c) for i in range(len(system.groups)) if classes.exposed(i) for c in range(classes.sizes[i])]
    facts = []
    for i, group in enumerate(system.groups):
        references: list[DiagramVariable] = [global_reference(c) for c in system.globals]
        domains: list[Sequence[int]] = [c.values for c in system.globals]
        references += [("count", k, c) for k, c in counters]
        domains += [range(system.groups[k].size + 1) for k, _ in counters]
        references += [("at",), *(("own", c.name, c.element) for c in group.cells)]
        domains += [group.locations, *(c.values for c in group.cells)]
        rows = ((*g, *(counts[k][c] for k, c in counters), q, *local[1:])
                for (g, counts), locals_ in result.reached[i].items() for local in locals_ for q in group.same(local[0]))
        facts.append(diagram.of_rows(references, _strict(domains, system, len(counters), group.cells), rows))
    return certificate(system, diagram, facts, classes.parts)


def _strict(domains: list[Sequence[int]], system: FiniteSystem, counters: int,
            cells: Sequence[FiniteCell]) -> list[Sequence[int]]:
    """Domains for leaving tests out: only where the listed values are all values that the variable has in the program."""
    full: list[Sequence[int]] = []
    width = len(system.globals)
    for n, d in enumerate(domains):
        if n < width:
            full.append(d if complete(system.globals[n]) else ())
        elif n < width + counters:
            full.append(d)
        else:
            own = n - width - counters
            full.append(d if own and complete(cells[own - 1]) else ())
    return full


def complete(cell: FiniteCell) -> bool:
    """Whether the values listed are all that the type has (or stand for all of them)."""
    return cell.spans is not None or len(cell.values) == 1 << cell.type.width


def certificate(system: FiniteSystem, diagram: Diagram, facts: Sequence[int], parts: Sequence[Parts] | None) -> Certificate:
    """The certificate with these facts; `parts` defines the classes that counters count."""
    templates = [t.name for t in system.program.templates]
    sections: list[list[int]] = [sorted(t.cfa.atomic) for t in system.program.templates]
    for group in system.groups:
        sections[templates.index(group.template.name)] = sorted(group.atomic)
    groups = []
    for i, group in enumerate(system.groups):
        cells = [[c.name, c.element, c.values[0], [q for q, live in enumerate(group.live) if c.name in live], _spans(c)]
                 for c in group.cells]
        groups.append({"template": templates.index(group.template.name), "copies": list(group.copies), "cells": cells,
                       "classes": _class_table(parts[i], group) if parts is not None else []})
    wide = [[c.name, c.element, _spans(c)] for c in system.globals if c.spans is not None]
    body = {"sections": sections, "groups": groups, "globals": wide, "nodes": diagram.nodes, "facts": list(facts)}
    return Certificate(system.program.fingerprint(), system.question, ProofKind.INDUCTIVE, body)


def _spans(cell: FiniteCell) -> list[list[int]] | None:
    if cell.spans is None:
        return None
    return [[low, high, value] for (low, high), value in zip(cell.spans, cell.values, strict=True)]


def _class_table(parts: Parts, group: ThreadGroup) -> list[list[list[int]]]:
    """For each part (location, cells) the value sets of its classes; a class is one choice from each, first part slowest."""
    table = []
    for column in parts:
        count = 1 + max(c for _, c in column)
        table.append([[v for v, c in column if c == k] for k in range(count)])
    table[0] = [[q for r in values for q in group.same(r)] for values in table[0]]
    return table if any(len(t) > 1 for t in table) else []
