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
from collections.abc import Iterable, Iterator
from dataclasses import replace

from circ.semantics.access_guards import Prefixes
from circ.views.contraction import Contraction, first_places, whole
from circ.views.variable_sets import VariableSet
from circ.views.waits import awaited
from circ.views.weaken import index_variables, weaken_op
from frontend.program import (
    BOOL,
    SKIP,
    Access,
    AllAt,
    Assume,
    Block,
    Cfa,
    Const,
    Edge,
    Element,
    Op,
    Program,
    Role,
    ThreadTemplate,
    Var,
    name_of,
    op_reads,
    op_writes,
    primitive,
    variables,
)
from frontend.program.schedule_ghosts import is_level_guard
from frontend.records import dataclass

FEW = 64
"""Automata with fewer edges are not put together before anything is asked about them."""


class Quotients:
    """The quotients of one program; what its edges touch is looked up once, and the same quotient is made once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        waits = awaited(program)
        reactive = frozenset(t.name for t in program.templates if t.role in (Role.HANDLER, Role.TASK))
        self._views = [_TemplateQuotient(program, t, waits[t.name], reactive) for t in program.templates]
        self._made: dict[tuple[VariableSet, frozenset[str]], Program] = {}

    @property
    def size(self) -> int:
        """The number of edges of the program."""
        return sum(len(t.cfa.edges) for t in self.program.templates)

    def of(self, kept: VariableSet, asked: frozenset[str]) -> Program:
        """The program as the kept variables see it, with the accesses to the variables asked about (which are kept, too)."""
        key = kept, asked
        if key not in self._made:
            self._made[key] = self._make(replace(kept, globals=kept.globals | asked), asked)
        return self._made[key]

    def nodes(self, n: int, kept: frozenset[str], asked: frozenset[str]) -> list[int]:
        """The nodes that the locations of the nth template become, -1 where no path leads; `kept`: names inside it."""
        view = self._views[n]
        draft = view.draft(view.whole, kept | asked, asked)
        return [draft.node[v] if v >= 0 else -1 for v in draft.graph.up]

    def _make(self, kept: VariableSet, asked: frozenset[str]) -> Program:
        names = [kept.of(t.name) for t in self.program.templates]
        drafts = [view.draft(view.graph(used), used, asked) for view, used in zip(self._views, names, strict=True)]
        named = {t.name: draft for t, draft in zip(self.program.templates, drafts, strict=True)}
        templates = []
        for view, draft in zip(self._views, drafts, strict=True):
            local = kept.own(view.template.name)
            own = tuple(v for v in view.template.locals if v.name in local)
            templates.append(replace(view.template, cfa=draft.cfa([_renamed(e, named) for e in draft.edges]), locals=own))
        return replace(self.program, globals=tuple(v for v in self.program.globals if v.name in kept.globals),
                       templates=tuple(templates), invariants=(), relies=(), exceptions=(), procedures=None)


@dataclass(frozen=True, slots=True)
class _MergedGraph:
    """For each vertex its node, and the edges between nodes, which still wait for locations."""

    graph: Contraction
    node: list[int]
    edges: list[Edge]

    def waiting(self, wait: AllAt) -> AllAt:
        """A wait for locations as one for their nodes."""
        return AllAt(wait.template, frozenset(self.node[v] for v in self.graph.of(wait.locations)))

    def cfa(self, edges: list[Edge]) -> Cfa:
        """The automaton of nodes."""
        vertices = self.graph.vertices
        plain = {n for n, outside in zip(self.node, vertices.plain, strict=True) if outside}
        places = {n: where for n, (_, where) in sorted(first_places(self.node, vertices.place).items())}
        return Cfa(max(self.node) + 1, self.node[self.graph.start], tuple(edges), frozenset(self.node) - plain, places=places)


class _TemplateQuotient:
    """One template: who touches what, and which locations can be told apart by others.

    Most questions are about a few globals that are declared near each other, and about flags of threads. So the automaton is
    put together for all globals first, then for each half of them, and so on, as questions come.
    """

    def __init__(
        self, program: Program, template: ThreadTemplate, waits: tuple[frozenset[int], ...], reactive: frozenset[str],
    ) -> None:
        self.template, self._prefixes, self._reactive = template, Prefixes(program), reactive
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
        sorts: dict[tuple[bool, ...], int] = {}
        sort = [sorts.setdefault(tuple(q in s for s in waits), len(sorts)) for q in range(cfa.size)]
        self.whole = whole(cfa, sort, _sections(cfa))
        self._flags = [v.name for v in program.globals if v.ghost and v.type == BOOL]
        self._names = [v.name for v in program.globals if not (v.ghost and v.type == BOOL)]
        self._position = {**dict.fromkeys(self._flags), **{name: n for n, name in enumerate(self._names)}}
        self._graphs: dict[tuple[int, int], Contraction] = {}

    def graph(self, kept: frozenset[str]) -> Contraction:
        """The automaton, put together as far as can be for these variables and others near them."""
        if len(self.whole.edges) <= FEW or not all(name in self._position for name in kept):
            return self.whole
        places = [n for name in kept if (n := self._position[name]) is not None]
        first, last = (min(places), max(places)) if places else (0, 0)
        low, high = 0, len(self._names)
        graph = self._contracted(self.whole, low, high)
        while len(graph.edges) > FEW and high - low > 1:
            middle = (low + high) // 2
            if first < middle <= last:
                break
            low, high = (low, middle) if last < middle else (middle, high)
            graph = self._contracted(graph, low, high)
        return graph

    def _contracted(self, graph: Contraction, low: int, high: int) -> Contraction:
        if (low, high) not in self._graphs:
            names = (*self._flags, *self._names[low:high])
            self._graphs[low, high] = graph.contract({*self._always, *(i for n in names for i in self._edges(n))})
        return self._graphs[low, high]

    def _edges(self, name: str) -> Iterator[int]:
        yield from self._touching.get(name, ())
        yield from self._accessing.get(name, ())

    def draft(self, graph: Contraction, kept: frozenset[str], asked: frozenset[str]) -> _MergedGraph:
        """What the automaton becomes, by a graph in which no more is put together than for these variables."""
        cfa = self.template.cfa
        found = {*self._always, *(i for n in kept for i in self._touching.get(n, ())),
                 *(i for n in asked for i in self._accessing.get(n, ()))}
        weak: dict[int, Edge] = {}
        seen: set[int] = set()
        ops: dict[int, Op] = {}  # steps through pointers from outside all do the same, to very many variables
        for i in sorted(found):
            e = cfa.edges[i]
            if id(e.op) not in ops:
                ops[id(e.op)] = weaken_op(e.op, kept.__contains__)
            edge = self._weakened(e, ops[id(e.op)], kept, asked)
            if edge.accesses or edge.op != SKIP:
                weak[i] = edge
                if edge.accesses or not all(self._suspends(p) for p in primitive(edge.op)):
                    seen.add(i)
        sections = graph.vertices.section
        atomic = {sections[q] for i, *ends in graph.edges if i in seen for q in ends}
        label = [2 * sort + (section >= 0 and section in atomic)
                 for sort, section in zip(graph.vertices.sort, sections, strict=True)]
        node = graph.together(seen, label)
        edges: dict[object, Edge] = {}
        for i, one, two in graph.edges:
            source, target = node[one], node[two]
            if i in weak:
                edge = weak[i]
                if source != target or edge.accesses or any(True for _ in op_writes(edge.op)):
                    key = (source, target, edge.op, edge.accesses, edge.protected)
                    edges.setdefault(key, replace(edge, source=source, target=target))
            elif source != target and (source, target) not in edges:
                e = cfa.edges[i]
                edges[source, target] = Edge(source, target, SKIP, (), e.protected, e.location)
        return _MergedGraph(graph, node, list(edges.values()))

    def _weakened(self, e: Edge, op: Op, kept: frozenset[str], asked: frozenset[str]) -> Edge:
        """The edge with the weakened operation and the accesses that are asked about."""
        accesses = tuple(_blurred(a, kept) for a in e.accesses if a.variable in asked)
        if accesses and not {a.variable for a in accesses} <= _first_touched(e, kept):
            # Where the access was in the step is not to be seen any more, so no guard may seem to come before it.
            op = _block(p for p in primitive(op) if not isinstance(p, Assume) or self._prefixes.by_scheduler(p))
        return replace(e, op=op, accesses=accesses, doubts=())

    def _suspends(self, part: Op) -> bool:
        """Whether the part only waits until those that preempt the thread are done: what it does next waits as well."""
        return is_level_guard(part) or (isinstance(part, AllAt) and part.template in self._reactive)


def _first_touched(e: Edge, kept: frozenset[str]) -> set[str]:
    """The variables that the first part of a step which touches them touches still, once it is weakened."""
    first: set[str] = set()
    still: set[str] = set()
    for part in primitive(e.op):
        new = _touched(part) - first
        first |= new
        still |= new & _touched(weaken_op(part, kept.__contains__))
    return still


def _touched(op: Op) -> set[str]:
    return {*op_writes(op), *map(name_of, op_reads(op))}


def _blurred(a: Access, kept: frozenset[str]) -> Access:
    if isinstance(a.lvalue, Var) or index_variables(a.lvalue) <= kept:
        return a
    return replace(a, lvalue=Element(a.lvalue.array, Const(0, a.lvalue.index.type), a.lvalue.type), whole=True)


def _block(parts: Iterable[Op]) -> Op:
    ops = tuple(parts)
    return ops[0] if len(ops) == 1 else Block(ops)


def _renamed(edge: Edge, drafts: dict[str, _MergedGraph]) -> Edge:
    """The edge with nodes for the locations that it waits for."""
    parts = tuple(primitive(edge.op))
    if not any(isinstance(p, AllAt) for p in parts):
        return edge
    return replace(edge, op=_block(drafts[p.template].waiting(p) if isinstance(p, AllAt) and p.template in drafts else p
                                   for p in parts))


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
