"""Breadth-first search of the product of a fixed list of threads, with the reductions of the explicit engine.

States are numbered: a state is a tuple of the number of its globals and the number of each thread's state.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from circ.abstraction.told_values import AccessValues
from circ.search.reductions import forgotten, local_locations
from circ.search.sample_values import samples
from circ.search.trace_building import FoundState
from circ.semantics.conflicts import Ready, clash, ready
from circ.semantics.evaluation import Undefined, Value
from circ.semantics.interpreter import Domain, Globals, LocalState, Machine, Move, forget
from circ.verdict import Assertions, Options, Question, RaceOn, Technique
from circ.views.havocked import irrelevant, opened
from circ.views.variable_sets import VariableSet
from frontend.program import Program


class SearchSpace:
    """What all searches about one question share: the program with everything left open that decides nothing (`open`)."""

    def __init__(self, program: Program, question: Question, options: Options) -> None:
        self.program, self.question = program, question
        variable = question.variable if isinstance(question, RaceOn) else None
        self.open = irrelevant(program, variable) if options.on(Technique.OPEN) else VariableSet()
        self.machine = Machine(opened(program, self.open))
        self.forget = tuple(forgotten(t) for t in self.machine.program.templates)
        self.local = tuple(local_locations(program, i, question) for i in range(len(program.templates)))
        self.samples = samples(program)


class StateSearch:
    """One breadth-first search with a fixed crew. A state is a tuple of numbers: of its globals, then of each thread's state."""

    def __init__(self, space: SearchSpace, crew: tuple[int, ...], options: Options, proof: bool) -> None:
        self.space, self.machine, self.question = space, space.machine, space.question
        self.crew, self.options = crew, options
        self.domain = Domain(space.samples)
        self.local_first = options.on(Technique.LOCAL_FIRST) and not proof
        self.symmetry = options.on(Technique.SYMMETRY)
        self.full = False
        self._globals: list[Globals] = []
        self._global_ids: dict[Globals, int] = {}
        self._threads: list[list[LocalState]] = [[] for _ in space.program.templates]
        self._thread_ids: list[dict[LocalState, int]] = [{} for _ in space.program.templates]
        self._moves: dict[tuple[int, int, int], tuple[tuple[Move, int, int], ...]] = {}
        self._ready: dict[tuple[int, int, int], tuple[Ready, ...]] = {}
        self._groups = [range(*_span(crew, i)) for i in sorted(set(crew))]
        self.keys: list[tuple[int, ...]] = []
        self.parents: list[tuple[int, int, Move] | None] = []
        self._index: dict[tuple[int, ...], int] = {}

    def run(self) -> FoundState | None:
        """The first state that shows what is asked for; None if there is none, or (`full`) the limit was reached."""
        start = self.machine.open_start(self.crew)
        threads = [self._thread(t, self._forgetful(t, thread)) for t, thread in zip(self.crew, start.threads, strict=True)]
        found = self._add(self._sorted([self._global(start.globals), *threads]), None)
        at = 0
        while found is None and at < len(self.keys):
            if len(self.keys) > self.options.max_states:
                self.full = True
                return None
            if at % 1024 == 0:
                self.options.check_time()
            for key, parent in self._successors(at):
                if key not in self._index:
                    found = self._add(key, parent)
                    if found is not None:
                        break
            at += 1
        return found

    def _successors(self, at: int) -> Iterator[tuple[tuple[int, ...], tuple[int, int, Move]]]:
        key = self.keys[at]
        holder = self._holder(key)
        positions = range(len(self.crew)) if holder is None else (holder,)
        if self.local_first and holder is None:
            for position in positions:
                thread = self._threads[self.crew[position]][key[position + 1]]
                if thread[0] in self.space.local[self.crew[position]]:
                    steps = list(self._steps(at, key, position))
                    if steps and all(k not in self._index for k, _ in steps):
                        yield from steps
                        return
        for position in positions:
            twin = position > 0 and key[position] == key[position + 1] and self.crew[position - 1] == self.crew[position]
            if not (twin and self.symmetry):
                yield from self._steps(at, key, position)

    def _steps(self, at: int, key: tuple[int, ...], position: int) -> Iterator[tuple[tuple[int, ...], tuple[int, int, Move]]]:
        for move, g, thread in self._moves_of(self.crew[position], key[0], key[position + 1]):
            if move.guards and not self.machine.guards_pass(move.guards, self.crew, self._state(key), position):
                continue
            after = list(key)
            after[0], after[position + 1] = g, thread
            yield self._sorted(after), (at, position, move)

    def _moves_of(self, template: int, g: int, thread: int) -> tuple[tuple[Move, int, int], ...]:
        key = template, g, thread
        found = self._moves.get(key)
        if found is None:
            moves = self.machine.moves(template, self._globals[g], self._threads[template][thread], self.domain)
            found = self._moves[key] = tuple(
                (m, self._global(m.globals), self._thread(template, self._forgetful(template, m.thread))) for m in moves)
        return found

    # ----------------------------------------------------------------------------------------------- states as numbers
    def _global(self, g: Globals) -> int:
        found = self._global_ids.setdefault(g, len(self._globals))
        if found == len(self._globals):
            self._globals.append(g)
        return found

    def _thread(self, template: int, thread: LocalState) -> int:
        known = self._threads[template]
        found = self._thread_ids[template].setdefault(thread, len(known))
        if found == len(known):
            known.append(thread)
        return found

    def _forgetful(self, template: int, thread: LocalState) -> LocalState:
        return forget(self.space.forget[template][thread[0]], thread)

    def _sorted(self, key: list[int]) -> tuple[int, ...]:
        if self.symmetry:
            for group in self._groups:
                if len(group) > 1:
                    key[group.start + 1:group.stop + 1] = sorted(key[group.start + 1:group.stop + 1])
        return tuple(key)

    def _state(self, key: tuple[int, ...]) -> list[LocalState]:
        return [self._threads[t][k] for t, k in zip(self.crew, key[1:], strict=True)]

    def _holder(self, key: tuple[int, ...]) -> int | None:
        return self.machine.holder(self.crew, self._state(key))

    def _add(self, key: tuple[int, ...], parent: tuple[int, int, Move] | None) -> FoundState | None:
        self._index[key] = len(self.keys)
        self.keys.append(key)
        self.parents.append(parent)
        return self._judge(key)

    # ----------------------------------------------------------------------------------------------- what is asked
    def _judge(self, key: tuple[int, ...]) -> FoundState | None:
        match self.question:
            case RaceOn(variable=x):
                return self._race(key, x)
            case Assertions():
                return self._violation(key)

    def _race(self, key: tuple[int, ...], x: str) -> FoundState | None:
        near = []
        for position, template in enumerate(self.crew):
            at = template, key[0], key[position + 1]
            accesses = self._ready.get(at)
            if accesses is None:
                try:
                    accesses = ready(self.machine, x, template, self._globals[key[0]], self._threads[template][at[2]])
                except Undefined:
                    self.domain.exact = False
                    accesses = ()
                self._ready[at] = accesses
            if accesses:
                near.append((position, accesses))
        for (i, ones), (j, others) in itertools.combinations(near, 2):
            pair = clash(self.machine, self.crew[i], ones, self.crew[j], others)
            if pair is not None:
                (a, b) = pair
                return FoundState(self._index[key], ((i, a[0], a[1]), (j, b[0], b[1])))
        return None

    def _violation(self, key: tuple[int, ...]) -> FoundState | None:
        inside = 0
        for template, k in zip(self.crew, key[1:], strict=True):
            cfa, location = self.machine.program.templates[template].cfa, self._threads[template][k][0]
            inside += location in cfa.critical
            if location in cfa.errors:
                return FoundState(self._index[key])
        try:
            broken = self.machine.broken_invariant(self._globals[key[0]], self._holder(key) is not None) is not None
        except Undefined:
            self.domain.exact = broken = False
        return FoundState(self._index[key]) if inside > 1 or broken else None

    # ----------------------------------------------------------------------------------------------- results
    def path(self, state: int) -> tuple[list[tuple[int, Move]], list[int]]:
        """The steps from the start to a state, each with the thread that takes it; and who stands where in the last state."""
        steps: list[tuple[int, Move]] = []
        parent = self.parents[state]
        while parent is not None:
            steps.append(parent[1:])
            parent = self.parents[parent[0]]
        start = self.machine.open_start(self.crew)
        ids = [self._thread(t, self._forgetful(t, thread)) for t, thread in zip(self.crew, start.threads, strict=True)]
        who = list(range(len(self.crew)))
        self._arrange(ids, who)
        path = []
        for position, move in reversed(steps):
            path.append((who[position], move))
            template = self.crew[position]
            ids[position] = self._thread(template, self._forgetful(template, move.thread))
            self._arrange(ids, who)
        return path, who

    def _arrange(self, ids: list[int], who: list[int]) -> None:
        """Sorts as `_sorted` does, taking along who is who."""
        for group in self._groups if self.symmetry else ():
            pairs = sorted(zip(ids[group.start:group.stop], who[group.start:group.stop], strict=True))
            ids[group.start:group.stop] = [i for i, _ in pairs]
            who[group.start:group.stop] = [w for _, w in pairs]

    def told_values(self, variable: str) -> tuple[str, ...]:
        """What tells the accesses to a variable apart in the states that were found, in words."""
        names = [None if v.is_array else v.name for v in self.space.program.globals]
        told = AccessValues(self.space.program, variable, names)
        places = [{i for i, (location, _) in enumerate(known) if told.is_access(t, location)}
                  for t, known in enumerate(self._threads)]
        for t, g in dict.fromkeys((t, key[0]) for key in self.keys for t, i in zip(self.crew, key[1:], strict=True)
                                  if i in places[t]):
            told.note(t, self._globals[g])
        return told.sentences()

    def reachable(self) -> dict[str, Any]:
        """The body of a `reachable` certificate: every state found."""
        return {
            "forget": [[list(slots) for slots in template] for template in self.space.forget],
            "open": {"globals": sorted(self.space.open.globals), "locals": self.space.open.rows(self.space.program)},
            "globals": [_json(g) for g in self._globals],
            "threads": [[[location, _json(local)] for location, local in known] for known in self._threads],
            "states": [list(key) for key in self.keys],
        }


def _json(values: tuple[Value, ...]) -> list[Any]:
    return [[v[0], [list(item) for item in v[1]]] if isinstance(v, tuple) else v for v in values]


def _span(crew: tuple[int, ...], template: int) -> tuple[int, int]:
    return crew.index(template), crew.index(template) + crew.count(template)
