"""Programs seen through a few of their variables: large automata become small ones that can do all that they can.

Locations that a path leads to are put together into nodes, operations are weakened to the kept variables, steps inside a
node that change nothing and access nothing vanish. Whatever the nodes are, each run of the program is a run of its quotient,
step by step or standing still: a node is atomic only if all its locations are, a wait for locations becomes one for their
nodes, and an access whose index is not known any more may mean any element. So a proof that the quotient has no race on a
variable is a proof that the program has none. A race in the quotient says nothing.

Which locations are put together decides how much is still known: those from which a thread can but come silently to one
place. An atomic section in which nothing happens that is kept is none any more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from frontend.cfa import (
    SKIP,
    Access,
    AllAt,
    Assume,
    Block,
    Cfa,
    Edge,
    Op,
    Program,
    Role,
    ThreadTemplate,
    name_of,
    op_reads,
    op_writes,
    primitive,
)
from frontend.components import components
from frontend.expr import Const, Element, Var, variables
from frontend.opened import Names
from frontend.preemption import is_level_guard
from frontend.prefix import Prefixes
from frontend.weaken import index_variables, weaken_op


class Quotients:
    """The quotients of one program; what its edges touch is looked up once, and the same quotient is made once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        waits: dict[str, dict[frozenset[int], None]] = defaultdict(dict)
        for t in program.templates:
            for e in t.cfa.edges:
                for p in primitive(e.op):
                    if isinstance(p, AllAt):
                        waits[p.template][p.locations] = None
        reactive = frozenset(t.name for t in program.templates if t.role in (Role.HANDLER, Role.TASK))
        self._views = [_View(t, list(waits[t.name]), Prefixes(program), reactive) for t in program.templates]
        self._made: dict[tuple[Names, frozenset[str]], Program] = {}

    @property
    def size(self) -> int:
        """The number of edges of the program."""
        return sum(len(t.cfa.edges) for t in self.program.templates)

    def of(self, kept: Names, asked: frozenset[str]) -> Program:
        """The program as the kept variables see it, with the accesses to the variables asked about (which are kept, too)."""
        key = kept, asked
        if key not in self._made:
            self._made[key] = self._make(Names(kept.globals | asked, kept.locals), asked)
        return self._made[key]

    def nodes(self, kept: Names, asked: frozenset[str]) -> list[list[int]]:
        """For each template the nodes that its locations become."""
        full = Names(kept.globals | asked, kept.locals)
        return [view.draft(full.of(n), asked)[0] for n, view in enumerate(self._views)]

    def _make(self, kept: Names, asked: frozenset[str]) -> Program:
        drafts = [view.draft(kept.of(n), asked) for n, view in enumerate(self._views)]
        nodes = {t.name: node for t, (node, _) in zip(self.program.templates, drafts, strict=True)}
        templates = []
        for n, (view, (node, edges)) in enumerate(zip(self._views, drafts, strict=True)):
            own = tuple(v for v in view.template.locals if v.name in kept.locals[n])
            templates.append(replace(view.template, cfa=view.cfa(node, [_renamed(e, nodes) for e in edges]), locals=own))
        return replace(self.program, globals=tuple(v for v in self.program.globals if v.name in kept.globals),
                       templates=tuple(templates), invariants=(), relies=(), exceptions=(), procedures=None)


class _View:
    """One template: who touches what, and which locations can be told apart by others."""

    def __init__(self, template: ThreadTemplate, waits: list[frozenset[int]], prefixes: Prefixes,
                 reactive: frozenset[str]) -> None:
        self.template, self._prefixes, self._reactive = template, prefixes, reactive
        cfa = template.cfa
        self._touching: dict[str, list[int]] = defaultdict(list)
        self._accessing: dict[str, list[int]] = defaultdict(list)
        self._always: list[int] = []
        for i, e in enumerate(cfa.edges):
            names = {*op_writes(e.op), *map(name_of, op_reads(e.op))}
            for name in names:
                self._touching[name].append(i)
            for name in {a.variable for a in e.accesses}:
                self._accessing[name].append(i)
            if any(isinstance(p, AllAt) or (isinstance(p, Assume) and not variables(p.cond)) for p in primitive(e.op)):
                self._always.append(i)
        alive = cfa.behind([cfa.start])
        self._alive = [q in alive for q in range(cfa.size)]
        self._section = _sections(cfa)
        sorts: dict[tuple[bool, ...], int] = {}
        self._sort = [sorts.setdefault(tuple(q in s for s in waits), len(sorts)) for q in range(cfa.size)]

    def draft(self, kept: frozenset[str], asked: frozenset[str]) -> tuple[list[int], list[Edge]]:
        """For each location its node (-1 where no path leads), and the edges between nodes, which still wait for locations."""
        cfa = self.template.cfa
        found = {*self._always, *(i for n in kept for i in self._touching.get(n, ())),
                 *(i for n in asked for i in self._accessing.get(n, ()))}
        weak: dict[int, Edge] = {}
        seen: set[int] = set()
        for i in sorted(found):
            edge = self._weakened(cfa.edges[i], kept, asked)
            if edge.accesses or edge.op != SKIP:
                weak[i] = edge
                if edge.accesses or not all(self._suspends(p) for p in primitive(edge.op)):
                    seen.add(i)
        atomic = {self._section[q] for i in seen for q in (cfa.edges[i].source, cfa.edges[i].target)}
        label = [2 * sort + (section >= 0 and section in atomic)
                 for sort, section in zip(self._sort, self._section, strict=True)]
        node = self._nodes(seen, label)
        edges: dict[object, Edge] = {}
        for i, e in enumerate(cfa.edges):
            if not self._alive[e.source]:
                continue
            source, target = node[e.source], node[e.target]
            edge = weak.get(i, e)
            if i in weak:
                if source != target or edge.accesses or any(True for _ in op_writes(edge.op)):
                    key = (source, target, edge.op, edge.accesses, e.protected)
                    edges.setdefault(key, replace(edge, source=source, target=target))
            elif source != target:
                edges.setdefault((source, target), Edge(source, target, SKIP, (), e.protected, e.location))
        return node, list(edges.values())

    def _nodes(self, seen: set[int], label: list[int]) -> list[int]:
        cfa = self.template.cfa
        silent: dict[int, list[int]] = defaultdict(list)
        stays: set[int] = set()
        for i, e in enumerate(cfa.edges):
            if i not in seen and label[e.source] == label[e.target]:
                silent[e.source].append(e.target)
            else:
                stays.add(e.source)
        node = [-1] * cfa.size
        for component in components(silent, cfa.size):  # those that it leads to come first
            inside = set(component)
            onwards = {node[r] for q in component for r in silent.get(q, ()) if r not in inside}
            forward = len(onwards) == 1 and stays.isdisjoint(component)
            name = onwards.pop() if forward else component[0]
            for q in component:
                node[q] = name
        numbers: dict[int, int] = {}
        return [numbers.setdefault(n, len(numbers)) if alive else -1 for n, alive in zip(node, self._alive, strict=True)]

    def _weakened(self, e: Edge, kept: frozenset[str], asked: frozenset[str]) -> Edge:
        accesses = tuple(_blurred(a, kept) for a in e.accesses if a.variable in asked)
        op = weaken_op(e.op, kept.__contains__)
        if any(not _touches(weaken_op(_first(e, a), kept.__contains__), a) for a in accesses):
            # Where the access was in the step is not to be seen any more, so no guard may seem to come before it.
            op = _block(p for p in primitive(op) if not isinstance(p, Assume) or self._prefixes.by_scheduler(p))
        return replace(e, op=op, accesses=accesses, doubts=())

    def _suspends(self, part: Op) -> bool:
        """Whether the part only waits until those that preempt the thread are done: what it does next waits as well."""
        return is_level_guard(part) or (isinstance(part, AllAt) and part.template in self._reactive)

    def cfa(self, node: list[int], edges: list[Edge]) -> Cfa:
        """The automaton of nodes."""
        old = self.template.cfa
        plain = {node[q] for q in range(old.size) if q not in old.atomic}
        places = {node[q]: old.places[q] for q in range(old.size - 1, -1, -1) if self._alive[q] and q in old.places}
        return Cfa(max(node) + 1, node[old.start], tuple(edges), frozenset(node) - plain - {-1}, places=places)


def _touches(op: Op, a: Access) -> bool:
    return a.variable in op_writes(op) or a.variable in map(name_of, op_reads(op))


def _first(e: Edge, a: Access) -> Op:
    """The part of a step in which it makes the access."""
    return next((p for p in primitive(e.op) if _touches(p, a)), SKIP)


def _blurred(a: Access, kept: frozenset[str]) -> Access:
    if isinstance(a.lvalue, Var) or index_variables(a.lvalue) <= kept:
        return a
    return replace(a, lvalue=Element(a.lvalue.array, Const(0, a.lvalue.index.type), a.lvalue.type), whole=True)


def _block(parts: Iterable[Op]) -> Op:
    ops = tuple(parts)
    return ops[0] if len(ops) == 1 else Block(ops)


def _renamed(edge: Edge, nodes: dict[str, list[int]]) -> Edge:
    """The edge with nodes for the locations that it waits for."""
    parts = tuple(primitive(edge.op))
    if not any(isinstance(p, AllAt) for p in parts):
        return edge
    return replace(edge, op=_block(_waiting(p, nodes) if isinstance(p, AllAt) else p for p in parts))


def _waiting(wait: AllAt, nodes: dict[str, list[int]]) -> AllAt:
    node = nodes.get(wait.template)
    return wait if node is None else AllAt(wait.template, frozenset(node[q] for q in wait.locations) - {-1})


def _sections(cfa: Cfa) -> list[int]:
    """For each location its atomic section as a number: atomic locations that steps connect; -1 outside."""
    near: dict[int, list[int]] = defaultdict(list)
    for e in cfa.edges:
        if e.source in cfa.atomic and e.target in cfa.atomic:
            near[e.source].append(e.target)
            near[e.target].append(e.source)
    section = [-1] * cfa.size
    for q in sorted(cfa.atomic):
        todo = [q] if section[q] < 0 else []
        while todo:
            r = todo.pop()
            if section[r] < 0:
                section[r] = q
                todo.extend(near[r])
    return section
