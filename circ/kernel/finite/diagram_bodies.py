"""The body of an `inductive` certificate (docs/certificate.md) as checked data: every number in range, every name known."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from circ.kernel.outcome import Malformed
from circ.kernel.untrusted_json import as_integers, as_list, as_natural, as_object, is_integer
from frontend.program import Program, Self, Variable
from frontend.records import dataclass

Reference: TypeAlias = tuple[str | int | None, ...]
Spans: TypeAlias = tuple[tuple[int, int, int], ...]
DiagramNode: TypeAlias = tuple[Reference, tuple[tuple[tuple[int, ...], int], ...]]


@dataclass(frozen=True, slots=True)
class CellData:
    """How a local is read: as itself at the locations in `live` (through its spans, if any), as `default` elsewhere."""

    default: int
    live: tuple[int, ...]
    spans: Spans | None


@dataclass(frozen=True, slots=True)
class GroupData:
    """Identical threads: their template and copies, how their locals are read, the value sets that make their classes."""

    template: int
    copies: tuple[int, ...]
    cells: Mapping[tuple[str, int | None], CellData]
    classes: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def class_count(self) -> int:
        count = 1 if self.classes else 0
        for options in self.classes:
            count *= len(options)
        return count

    def class_parts(self, cls: int) -> list[tuple[int, ...]]:
        """The value sets of class number `cls`, location first: a mixed-radix number, the first part slowest."""
        parts: list[tuple[int, ...]] = []
        for options in reversed(self.classes):
            cls, digit = divmod(cls, len(options))
            parts.append(options[digit])
        return parts[::-1]


@dataclass(frozen=True, slots=True)
class InductiveBody:
    """`facts[group]` is a diagram: 0 false, 1 true, n the node `nodes[n - 2]`, whose children come before it."""

    sections: tuple[tuple[int, ...], ...]
    groups: tuple[GroupData, ...]
    spans: Mapping[tuple[str, int | None], Spans]
    nodes: tuple[DiagramNode, ...]
    facts: tuple[int, ...]

    def below(self, root: int) -> list[int]:
        """The nodes that a diagram consists of, children first."""
        seen: set[int] = set()
        todo = [root]
        while todo:
            n = todo.pop()
            if n >= 2 and n not in seen:
                seen.add(n)
                todo.extend(child for _, child in self.nodes[n - 2][1])
        return sorted(seen)


def read_inductive(program: Program, data: Mapping[str, Any]) -> InductiveBody:
    """The body as data, or `Malformed`."""
    as_object(data, "the body", ("sections", "groups", "globals", "nodes", "facts"))
    sections = tuple(as_integers(row, "sections") for row in as_list(data["sections"], "sections", len(program.templates)))
    for row, t in zip(sections, program.templates, strict=True):
        if not set(row) <= t.cfa.atomic:
            raise Malformed(f"a listed location of {t.name!r} is not atomic")
    groups = tuple(_group(program, row) for row in as_list(data["groups"], "groups"))
    _partition(program, groups)
    spans = {}
    for row in as_list(data["globals"], "globals"):
        name, element, span = as_list(row, "globals", 3)
        v = _known(program.globals, name, element)
        spans[v.name, element] = _spans(span) or ()
    nodes: list[DiagramNode] = []
    for row in as_list(data["nodes"], "nodes"):
        reference, branches = as_list(row, "a node", 2)
        made = []
        for branch in as_list(branches, "branches"):
            values, child = as_list(branch, "a branch", 2)
            before = as_natural(child, "a node's child, which comes before it,", len(nodes) + 2)
            made.append((as_integers(values, "values"), before))
        nodes.append((_reference(program, groups, reference), tuple(made)))
    facts = as_integers(as_list(data["facts"], "facts", len(groups)), "facts")
    if not all(0 <= f < len(nodes) + 2 for f in facts):
        raise Malformed("a fact is no node")
    body = InductiveBody(sections, groups, spans, tuple(nodes), facts)
    for k, fact in enumerate(facts):
        for n in body.below(fact):
            reference = nodes[n - 2][0]
            if reference[0] == "own" and (reference[1], reference[2]) not in groups[k].cells:
                raise Malformed(f"{reference[1]!r} is no cell of group {k}")
    return body


def _group(program: Program, row: Any) -> GroupData:
    as_object(row, "a group", ("template", "copies", "cells", "classes"))
    template = as_natural(row["template"], "the template of a group", len(program.templates))
    t = program.templates[template]
    cells: dict[tuple[str, int | None], CellData] = {}
    for name, element, default, live, spans in (as_list(c, "a cell", 5) for c in as_list(row["cells"], "cells")):
        v = _known(t.locals, name, element)
        if (v.name, element) in cells or not is_integer(default):
            raise Malformed(f"the cell {name!r} twice, or without a default")
        cells[v.name, element] = CellData(default, as_integers(live, "live"), _spans(spans))
    classes = tuple(tuple(as_integers(option, "a class") for option in as_list(part, "a part"))
                    for part in as_list(row["classes"], "classes"))
    if classes and (len(classes) != 1 + len(cells) or not all(classes)):
        raise Malformed("classes need a part for the location and for each cell")
    for part in classes:
        values = [v for option in part for v in option]
        if len(values) != len(set(values)):
            raise Malformed("a value is in two classes")
    return GroupData(template, as_integers(row["copies"], "copies"), cells, classes)


def _partition(program: Program, groups: Sequence[GroupData]) -> None:
    """Every copy of every template is in exactly one group; those that know their number are alone."""
    found = sorted((g.template, c) for g in groups for c in g.copies)
    if any(t.count is None for t in program.templates):
        raise Malformed("a template that runs any number of times")
    wanted = sorted((n, c) for n, t in enumerate(program.templates) for c in range(t.count or 0))
    if found != wanted or not all(g.copies for g in groups):
        raise Malformed("the groups are not a partition of the threads")
    for g in groups:
        t = program.templates[g.template]
        if len(g.copies) > 1 and any(isinstance(v.start, Self) for v in t.locals):
            raise Malformed(f"threads of {t.name!r} know their numbers, so they are not identical")


def _reference(program: Program, groups: Sequence[GroupData], row: Any) -> Reference:
    parts = tuple(as_list(row, "a reference"))
    match parts:
        case ("atomic",) | ("at",):
            return parts
        case ("global", name, element):
            _known(program.globals, name, element)
            return parts
        case ("own", str(), element) if element is None or is_integer(element):
            return parts
        case ("other-at", group) if _alone(groups, group):
            return parts
        case ("other", group, str(name), element) if _alone(groups, group) and (element is None or is_integer(element)):
            if (name, element) in groups[group].cells:
                return parts
        case ("count", group, cls) if is_integer(group) and 0 <= group < len(groups) and is_integer(cls):
            if 0 <= cls < groups[group].class_count:
                return parts
    raise Malformed(f"unknown reference {str(row)[:80]}")


def _alone(groups: Sequence[GroupData], group: Any) -> bool:
    return is_integer(group) and 0 <= group < len(groups) and len(groups[group].copies) == 1


def _known(variables: Sequence[Variable], name: Any, element: Any) -> Variable:
    v = next((v for v in variables if v.name == name), None)
    if v is None:
        raise Malformed(f"unknown variable {str(name)[:80]!r}")
    if (element is None) == v.is_array or (element is not None and not (is_integer(element) and 0 <= element < (v.length or 0))):
        raise Malformed(f"{v.name!r} has no element {element!r}")
    return v


def _spans(data: Any) -> Spans | None:
    if data is None:
        return None
    found = []
    for row in as_list(data, "spans"):
        low, high, value = as_integers(as_list(row, "a span", 3), "a span")
        found.append((low, high, value))
    ordered = sorted(found)
    if any(a[1] >= b[0] for a, b in itertools.pairwise(ordered)) or len({v for _, _, v in found}) != len(found):
        raise Malformed("spans overlap")
    return tuple(found)

