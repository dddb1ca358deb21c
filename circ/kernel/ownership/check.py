"""Proofs of kind `ownership`: read, compared with the program, and every edge checked alone (docs/certificate.md).

The body says which links are counted, which lock guards which root, and for each location the cases (`shapes.Shape`) of a thread
there. Each step from a case must lead to a case, and each access to the variable asked about must be the owner's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from circ.kernel.outcome import Accepted, Malformed, Outcome, Refused
from circ.kernel.ownership.entailment import entails
from circ.kernel.ownership.heap import Guarded, Heap, Site, Slot
from circ.kernel.ownership.lifetimes import Lifetimes
from circ.kernel.ownership.linking import Disallowed
from circ.kernel.ownership.shapes import Cell, Fact, Label, Scaled, Shape, Term, Value
from circ.kernel.ownership.steps import Steps
from circ.kernel.untrusted_json import as_integer, as_integers, as_list, as_natural, as_object, as_text
from frontend.program import AccessKind, Element, Program


class OwnershipProof:
    """A proof, which may answer the questions about several variables."""

    def __init__(self, program: Program, body: Mapping[str, Any]) -> None:
        self.program = program
        whole = as_object(body, "the body", ("sites", "links", "arrays", "locks", "slots", "starts", "cases"))
        self.heap = read_heap(program, whole)
        self.invariants = {g: [_shape(s) for s in as_list(row[3], "an invariant")]
                           for g, row in zip(self.heap.locks, whole["locks"], strict=True)}
        self.steps = [Steps(self.heap, n, self.invariants) for n in range(len(program.templates))]
        self.cases: list[dict[int, list[Shape]]] = []
        for rows, t in zip(as_list(whole["cases"], "`cases`", len(program.templates)), program.templates, strict=True):
            at: dict[int, list[Shape]] = {}
            for row in as_list(rows, "the cases of a template"):
                q, shape = as_list(row, "a case", 2)
                at.setdefault(as_natural(q, "a location", t.cfa.size), []).append(_shape(shape))
            self.cases.append(at)
        self._closed: Outcome | None = None

    def outcome(self, variable: str) -> Outcome:
        self._closed = self._closed or self._induction()
        if isinstance(self._closed, Refused):
            return self._closed
        return self._accesses(variable)

    def _induction(self) -> Outcome:
        flaw = self.heap.flaw() or self._unstable()
        if flaw is not None:
            return Refused("program", "", flaw)
        for n, t in enumerate(self.program.templates):
            if t.count == 0:
                continue
            try:
                self.steps[n].unheld_at_start()
            except Disallowed as error:
                return Refused("Init", t.name, str(error))
            for shape in self.steps[n].at_start():
                if not self._covered(n, t.cfa.start, shape):
                    return Refused("Init", t.name, "the start is no case")
            out = t.cfa.leaving()
            for q, shapes in self.cases[n].items():
                for e in out[q]:
                    try:
                        after = [s for shape in shapes for s in self.steps[n].after(shape, e)]
                    except Disallowed as error:
                        return Refused("Step", f"{t.name}: {e}", str(error))
                    if not all(self._covered(n, e.target, s) for s in after):
                        return Refused("Step", f"{t.name}: {e}", "leads to no case")
        return Accepted()

    def _covered(self, n: int, q: int, shape: Shape) -> bool:
        return any(entails(shape, known) for known in self.cases[n].get(q, ()))

    def _unstable(self) -> str | None:
        """Why others might make a case or an invariant untrue; None if they cannot."""
        for name, shapes in self.invariants.items():
            guarded = self.heap.locks[name]
            for s in shapes:
                names = {*guarded.scalars, *guarded.roots}
                labels = {x for f in s.facts.values() for x in f.reach or ()}
                if s.held or s.dead or s.cuts or any(f.group is not None for f in s.facts.values()) or not set(s.env) <= names \
                        or any(x[0] not in guarded.roots or x[1] for x in labels) or not _contained(s):
                    return f"the invariant of {name!r} speaks of more than it guards"
        for n, at in enumerate(self.cases):
            for shape in (s for shapes in at.values() for s in shapes):
                steps = self.steps[n]
                roots = [(name, c) for c, name in shape.cells if isinstance(c, str)]
                if any(name not in self.heap.guard_of for name, _ in roots):
                    return "a case speaks of an element of no root"
                labels = {*(x for f in shape.facts.values() for x in f.reach or ()), *(self.heap.label(*x) for x in roots)}
                terms = [t for t in shape.env if isinstance(t, str) and t not in steps.own]
                touched = (*labels, *((t, "") for t in terms))
                if not all(steps.reader.permitted(shape, x) for x in touched) or not _contained(shape):
                    return "a case speaks of what others may change"
        return None

    def _accesses(self, variable: str) -> Outcome:
        site = self.heap.arrays.get(variable)
        if site is None:
            return Refused("question", "", f"the proof does not speak of {variable!r}")
        for n, e, a in self.program.accesses.get(variable, ()):
            t = self.program.templates[n]
            if t.count == 0 or a.kind is AccessKind.SYNC:
                continue
            index = a.lvalue.index if isinstance(a.lvalue, Element) and not a.whole else None
            for shape in self.cases[n].get(e.source, ()):
                if self.steps[n].reader.alone(shape):
                    continue
                if index is None or e.source == t.cfa.start or not self.steps[n].reader.may_access(shape, index, site):
                    return Refused("Access", f"{t.name}: {e}", f"perhaps not the owner's ({a.text})")
        return Accepted()


def _contained(shape: Shape) -> bool:
    """Whether what is said of fields is said of objects that are known to be the thread's, or guarded."""
    return all(isinstance(c, str) or shape.labels(c) is not None for c, _ in shape.cells)


# --------------------------------------------------------------------------------------------------- reading
def read_heap(program: Program, whole: Mapping[str, Any]) -> Heap:
    """What the body says of sites, links, locks and arguments."""
    rows = [as_list(r, "a site", 5) for r in as_list(whole["sites"], "`sites`")]
    sites = tuple(Site(as_natural(r[0], "a base"), as_natural(r[1], "a stride"), as_natural(r[2], "a limit"),
                       None if r[3] is None else as_text(r[3], "a counter"), as_natural(r[4], "a first number")) for r in rows)
    n, templates = len(sites), len(program.templates)
    links = {as_text(a, "a link"): (as_natural(s, "a site", n), _site(t, n))
             for a, s, t in (as_list(r, "a link", 3) for r in as_list(whole["links"], "`links`"))}
    arrays = {as_text(a, "an array"): as_natural(s, "a site", n)
              for a, s in (as_list(r, "an array", 2) for r in as_list(whole["arrays"], "`arrays`"))}
    locks: dict[str, Guarded] = {}
    for row in as_list(whole["locks"], "`locks`"):
        lock, scalars, roots, _ = as_list(row, "a lock", 4)
        name = as_text(lock, "a lock")
        if name in locks:
            raise Malformed(f"two rows about {name!r}")
        locks[name] = Guarded(name, tuple(as_text(x, "a scalar") for x in as_list(scalars, "scalars")),
                              {as_text(r, "a root"): _site(s, n)
                               for r, s in (as_list(x, "a root", 2) for x in as_list(roots, "roots"))})
    slots = tuple(Slot(as_natural(t, "a template", templates), as_text(f, "a flag"), as_text(a, "an argument"),
                       _site(s, n), None if c is None else as_natural(c, "an address"))
                  for t, f, a, s, c in (as_list(r, "an argument", 5) for r in as_list(whole["slots"], "`slots`")))
    starts: dict[int, tuple[int, ...]] = {}
    for row in as_list(whole["starts"], "`starts`"):
        t, addresses = as_list(row, "owners at the start", 2)
        starts[as_natural(t, "a template", templates)] = as_integers(addresses, "addresses")
    return Heap(program, sites, links, arrays, locks, slots, starts, Lifetimes(program))


def _site(item: Any, below: int) -> int | None:
    return None if item is None else as_natural(item, "a site", below)


def _shape(item: Any) -> Shape:
    whole = as_object(item, "a case", ("held", "dead", "env", "facts", "cells", "cuts", "scaled"))
    env = {_term(t): _value(s, off) for t, s, off in (as_list(r, "a value", 3) for r in as_list(whole["env"], "`env`"))}
    facts = {as_natural(row[0], "a symbol"): _fact(row)
             for row in (as_list(r, "a fact", 7) for r in as_list(whole["facts"], "`facts`"))}
    cells: dict[Cell, Value] = {}
    for row in as_list(whole["cells"], "`cells`"):
        c, name, s, off = as_list(row, "a cell", 4)
        cells[c if isinstance(c, str) else as_natural(c, "a symbol"), as_text(name, "a link")] = _value(s, off)
    cuts = {as_natural(g, "a group"): frozenset(as_text(x, "a field") for x in as_list(xs, "fields"))
            for g, xs in (as_list(r, "cut fields", 2) for r in as_list(whole["cuts"], "`cuts`"))}
    scaled: dict[int, Scaled] = {}
    for row in as_list(whole["scaled"], "`scaled`"):
        s, base, stride, index, bounds, ranged = as_list(row, "an address of an element", 6)
        if not isinstance(ranged, bool):
            raise Malformed("an address is neither in its range nor not")
        scaled[as_natural(s, "a symbol")] = Scaled(as_natural(base, "a base"), as_natural(stride, "a stride"),
                                                   as_text(index, "an index"), _bounds(bounds), ranged)
    symbols = [*facts, *scaled, *(s for s, _ in (*env.values(), *cells.values())), *(c for c, _ in cells if isinstance(c, int))]
    return Shape(frozenset(map(_label, as_list(whole["held"], "`held`"))),
                 frozenset(as_natural(t, "a template") for t in as_list(whole["dead"], "`dead`")), env, facts, cells, cuts,
                 scaled, max(symbols, default=0))


def _bounds(item: Any) -> tuple[int, int] | None:
    if item is None:
        return None
    low, high = as_list(item, "bounds", 2)
    return as_integer(low, "a bound"), as_integer(high, "a bound")


def _fact(row: Any) -> Fact:
    _, null, site, hit, inside, reach, group = row
    if not (null is None or isinstance(null, bool)) or not isinstance(hit, bool):
        raise Malformed("a fact is neither true nor false")
    return Fact(null, None if site is None else as_natural(site, "a site"), hit,
                None if inside is None else as_natural(inside, "a distance"),
                None if reach is None else frozenset(map(_label, as_list(reach, "labels"))),
                None if group is None else as_natural(group, "a group"))


def _term(x: Any) -> Term:
    return x if isinstance(x, str) else as_natural(x, "an address")


def _value(s: Any, off: Any) -> Value:
    return as_natural(s, "a symbol"), as_integer(off, "a distance")


def _label(x: Any) -> Label:
    name, index = as_list(x, "a label", 2)
    return as_text(name, "a root"), as_text(index, "an index")


def written(shape: Shape) -> dict[str, Any]:
    """A case as a certificate writes it."""
    return {
        "held": sorted(map(list, shape.held)), "dead": sorted(shape.dead),
        "env": [[t, s, off] for t, (s, off) in shape.env.items()],
        "facts": [[s, f.null, f.site, f.hit, f.inside, None if f.reach is None else sorted(map(list, f.reach)), f.group]
                  for s, f in sorted(shape.facts.items())],
        "cells": [[c, name, s, off] for (c, name), (s, off) in shape.cells.items()],
        "cuts": [[g, sorted(xs)] for g, xs in sorted(shape.cuts.items())],
        "scaled": [[s, x.base, x.stride, x.index, None if x.bounds is None else list(x.bounds), x.ranged]
                   for s, x in sorted(shape.scaled.items())],
    }
