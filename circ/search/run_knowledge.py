"""What all random runs of one program share: the interpreter, values worth trying, the races found, choices that went wrong.

And where a run that looks for races on some variables wants its threads to go: to their accesses, and to the start of others.
"""

from __future__ import annotations

from collections.abc import Sequence

from circ.kernel.doubts import doubt
from circ.search.sample_values import nearby, samples, words
from circ.search.shorten import shortened
from circ.search.step_effects import StepEffects
from circ.search.trace_building import FoundState, build_trace
from circ.semantics.evaluation import Where
from circ.semantics.interpreter import Machine, Move
from circ.verdict import RaceOn, Trace
from circ.views.sure import is_doubtful
from frontend.program import AccessKind, Assign, Cfa, Const, Program, Role, Scalar, Var, name_of, op_reads, op_writes, primitive

SHORTENING = 200_000
"""Steps to replay for a shorter run to a race."""
SMALL = 4
"""What is open is one of so many small numbers, or mostly a number that the program speaks of."""


class Goals:
    """The locations of each template from which a goal can be reached: an access of a wanted variable, or a thread's creation.

    A thread that leaves them (no memory, a thread that could not be created, a usage message) is of no use to the run any more.
    """

    def __init__(self, program: Program, wanted: frozenset[str]) -> None:
        flags = [frozenset(a.variable for e in t.cfa.edges if e.source == t.cfa.start for a in e.accesses
                           if a.kind is AccessKind.SYNC and a.write) if t.role is not Role.MAIN else frozenset()
                 for t in program.templates]
        started = frozenset().union(*flags)
        self._awaited: dict[tuple[int, int], tuple[int, ...]] = {}
        for i, t in enumerate(program.templates):
            for e in t.cfa.edges if any(flags) else ():
                found_here = tuple(n for n, names in enumerate(flags) if any(a.variable in names and a.write for a in e.accesses))
                if found_here and e.source != t.cfa.start:
                    self._awaited[i, e.source] = found_here
        self._edges: list[frozenset[int]] = []
        self._ahead: list[frozenset[int]] = []
        for t in program.templates:
            goals = frozenset(n for n, e in enumerate(t.cfa.edges) if any(
                a.variable in wanted or (a.variable in started and a.write and e.source != t.cfa.start) for a in e.accesses))
            before: dict[int, list[int]] = {}
            for e in t.cfa.edges:
                before.setdefault(e.target, []).append(e.source)
            found = {t.cfa.edges[n].source for n in goals}
            todo = list(found)
            while todo:
                for location in before.get(todo.pop(), ()):
                    if location not in found:
                        found.add(location)
                        todo.append(location)
            self._edges.append(goals)
            self._ahead.append(frozenset(found))

    def reaches(self, template: int, edge: int) -> bool:
        """Whether the edge is a goal."""
        return edge in self._edges[template]

    def ahead(self, template: int, location: int) -> bool:
        """Whether a thread at the location may still come to a goal."""
        return location in self._ahead[template]

    def loses(self, template: int, before: int, after: int) -> bool:
        """Whether a thread that goes from one location to another has no goal ahead any more."""
        return before in self._ahead[template] and after not in self._ahead[template]

    def awaited(self, template: int, location: int) -> tuple[int, ...]:
        """The templates of which a thread at the location starts another one, by setting what that one's first step waits for."""
        return self._awaited.get((template, location), ())

    def created(self) -> frozenset[int]:
        """The templates whose threads others start."""
        return frozenset(n for found in self._awaited.values() for n in found)

    def starts(self, template: int) -> bool:
        """Whether threads of the template start others."""
        return any(t == template for t, _ in self._awaited)


class RunKnowledge:
    """What all runs of one program share: its interpreter, values worth trying, the races found, choices that went wrong."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.machine = Machine(program)
        self.effects = StepEffects(self.machine)
        self.reactive = any(t.role in (Role.HANDLER, Role.TASK) for t in program.templates)
        self.found: dict[str, Trace] = {}
        self.blamed: set[tuple[int, int]] = set()
        """Free choices, such as that there is no memory, after which a thread got stuck: seldom taken again."""
        self._constants = samples(program)
        self.words = words(program)
        self._values: dict[Scalar, Sequence[int]] = {}
        self._compared: dict[tuple[int, int, bool], tuple[Where, ...]] = {}
        self._watches: dict[tuple[int, int], tuple[int, ...]] = {}
        self._heads: dict[int, frozenset[int]] = {}
        self._nearby: dict[tuple[int, int, Scalar], Sequence[int]] = {}
        self._ways: dict[tuple[int, int], tuple[int, ...]] = {}
        self._fails: dict[tuple[int, int], bool] = {}
        self._goals: dict[frozenset[str], Goals] = {}

    def keep(self, x: str, crew: tuple[int, ...], path: Sequence[tuple[int, Move]], one: tuple[int, int, int],
             two: tuple[int, int, int]) -> bool:
        """Takes down the race at the end of a run, unless the run may not be one of the program."""
        found = FoundState(0, (one, two))
        trace = build_trace(self.program, self.machine, RaceOn(x), crew, path, range(len(crew)), found)
        if doubt(self.program, trace) is not None:
            return False
        self.found[x] = shortened(self.machine, trace, SHORTENING)
        return True

    def goals(self, wanted: frozenset[str]) -> Goals:
        """Where accesses of wanted variables are ahead."""
        if wanted not in self._goals:
            self._goals[wanted] = Goals(self.program, wanted)
        return self._goals[wanted]

    def ways(self, template: int, location: int) -> list[int]:
        """The edges that leave a location, without those that the program may not have; the caller may change the list."""
        found = self._ways.get((template, location))
        if found is None:
            found = self._ways[template, location] = tuple(
                e for e in self.machine.leaving(template, location) if not is_doubtful(self.machine.edge(template, e)))
        return list(found)

    def fails(self, template: int, e: int) -> bool:
        """Whether an edge gives 0 where another one could be taken as well: there is no memory, or nothing is found."""
        key = template, e
        if key not in self._fails:
            edge = self.machine.edge(template, e)
            others = (self.machine.edge(template, o) for o in self.machine.leaving(template, edge.source) if o != e)
            self._fails[key] = isinstance(edge.op, Assign) and isinstance(edge.op.value, Const) and edge.op.value.value == 0 \
                and any(name_of(edge.op.target) in op_writes(other.op) for other in others)
        return self._fails[key]

    def watches(self, template: int, e: int) -> tuple[int, ...]:
        """The slots of the globals that an edge reads, locks left out."""
        key = template, e
        if key not in self._watches:
            slots = {slot for owner, slot, _ in self.compared(template, e, True) if owner == "g"}
            self._watches[key] = tuple(sorted(slots - self.effects.locks()))
        return self._watches[key]

    def heads(self, template: int) -> frozenset[int]:
        """The locations where turns of loops begin."""
        if template not in self._heads:
            self._heads[template] = loop_heads(self.program.templates[template].cfa)
        return self._heads[template]

    def loses(self, goals: Goals, template: int, e: int) -> bool:
        """Whether no goal is ahead any more after an edge, and there is another way than to go round and round."""
        edge = self.machine.edge(template, e)
        return goals.loses(template, edge.source, edge.target) and any(
            self.machine.edge(template, o).target != edge.source for o in self.ways(template, edge.source) if o != e)

    def nearby(self, template: int, e: int, t: Scalar) -> Sequence[int]:
        """Values of a type that an edge itself speaks of, which decide whether it passes; others if it speaks of none."""
        key = template, e, t
        if key not in self._nearby:
            self._nearby[key] = [v for v in nearby(self.machine.edge(template, e).op) if t.low <= v <= t.high] or self.values(t)
        return self._nearby[key]

    def compared(self, template: int, e: int, arrays: bool = False) -> tuple[Where, ...]:
        """Where the variables live that an edge reads; arrays as well if asked."""
        key = template, e, arrays
        if key not in self._compared:
            names = dict.fromkeys(name_of(v) for p in primitive(self.machine.edge(template, e).op) for v in op_reads(p)
                                  if arrays or isinstance(v, Var))
            slots = (self.machine.slot(template, name) for name in names)
            self._compared[key] = tuple(slot for slot in slots if slot is not None)
        return self._compared[key]

    def values(self, t: Scalar) -> Sequence[int]:
        """Values of a type worth trying for what is open: constants of the program that it can have and numbers near them."""
        if t not in self._values:
            fitting = [v for v in self._constants if t.low <= v <= t.high]
            self._values[t] = [v for v in fitting if not 0 <= v < SMALL] or fitting or [t.low]
        return self._values[t]


def loop_heads(cfa: Cfa) -> frozenset[int]:
    """The locations to which an edge leads from one that comes after them, as a walk in depth from the start sees it."""
    after: dict[int, list[int]] = {}
    for e in cfa.edges:
        after.setdefault(e.source, []).append(e.target)
    heads: set[int] = set()
    open_: set[int] = {cfa.start}
    seen = {cfa.start}
    stack = [(cfa.start, iter(after.get(cfa.start, ())))]
    while stack:
        location, rest = stack[-1]
        target = next(rest, None)
        if target is None:
            stack.pop()
            open_.discard(location)
        elif target in open_:
            heads.add(target)
        elif target not in seen:
            seen.add(target)
            open_.add(target)
            stack.append((target, iter(after.get(target, ()))))
    return frozenset(heads)
