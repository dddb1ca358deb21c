"""Certificates of kind `reachable`: a set of states that holds the start, is closed under steps, and shows nothing bad.

Body: `globals` (a list of valuations), `threads` (for each template a list of `[location, locals]`), `states` (each the number of
its globals, then of each thread, templates in order), `open` (names of variables that may change at will) and `forget` (for each
template and location the locals that are open there). A value is a number, null for any value, or `[default, [[index,
value], ...]]` for an array. Threads of one template are interchangeable, so a state stands for all its permutations; null,
`open` and `forget` only add states and steps, so none of them needs trust.

One pass over the states suffices, by induction on the length of a run: the start is listed, every step of a listed state
leads to a listed one, no listed state shows what the question asks for.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from circ.evidence import Assertions, Certificate, RaceOn
from circ.kernel.outcome import Accepted, Malformed, Outcome, Refused
from circ.kernel.untrusted_json import as_integer, as_integers, as_list, as_natural, as_object, as_text
from circ.semantics.conflicts import clash, ready
from circ.semantics.evaluation import Undefined, Value, cells
from circ.semantics.interpreter import Domain, Globals, LocalState, Machine, forget
from circ.views.havocked import opened
from circ.views.variable_sets import VariableSet, from_rows
from frontend.program import AllAt, Program, Variable

_KEYS = ("forget", "globals", "open", "threads", "states")


def check_reachable(program: Program, certificate: Certificate) -> Outcome:
    """Accepted iff the listed states are closed and safe; program and kind were looked at by the caller."""
    if any(t.count is None for t in program.templates):
        return Refused("counts", "", "a program with unboundedly many threads has no finite set of states")
    try:
        return _Checker(program, certificate).check()
    except Malformed as error:
        return Refused("format", "", str(error))
    except Undefined as missing:
        return Refused("format", "", f"the question depends on an open value: {missing.where}")


class _Checker:
    """Globals and thread states are numbered on arrival, so that states are tuples of numbers and equal ones are equal."""

    def __init__(self, program: Program, certificate: Certificate) -> None:
        body, templates = certificate.body, program.templates
        as_object(body, "the body", _KEYS)
        self.program, self.question = program, certificate.question
        self.machine = Machine(opened(program, _names(body["open"], program)))
        self.crew = tuple(i for i, t in enumerate(program.templates) for _ in range(t.count or 0))
        self.domain = Domain(())
        self.global_ids: dict[Globals, int] = {}
        self.thread_ids: dict[tuple[int, LocalState], int] = {}
        self.steps: dict[tuple[int, int, int], list[tuple[int, int, tuple[AllAt, ...]]]] = {}
        self.globals: list[Globals] = []
        self.threads: list[LocalState] = []
        self.forget = [_forget(row, t.cfa.size, t.locals)
                       for row, t in zip(as_list(body["forget"], "forget", len(templates)), templates, strict=True)]
        rows = [[self._global(_values(g, program.globals)) for g in as_list(body["globals"], "globals")]]
        threads = [[self._thread(i, _thread(x, t.cfa.size, t.locals)) for x in as_list(row, "the threads of a template")]
                   for i, (row, t) in enumerate(zip(as_list(body["threads"], "threads", len(templates)), templates, strict=True))]
        rows += [threads[t] for t in self.crew]
        listed = (as_list(s, "a state", len(rows)) for s in as_list(body["states"], "states"))
        self.states = [
            self._canonical([row[as_natural(n, "a part of a state", len(row))] for n, row in zip(s, rows, strict=True)])
            for s in listed]

    def check(self) -> Outcome:
        known = set(self.states)
        start = self.machine.open_start(self.crew)
        first = [self._global(start.globals), *map(self._arrived, self.crew, start.threads)]
        if self._canonical(first) not in known:
            return Refused("start", "", "the start state is not listed")
        for number, state in enumerate(self.states):
            if self._bad(state):
                return Refused("safety", f"state {number}", "the state shows what the question asks for")
            if any(after not in known for after in self._successors(state)):
                return Refused("closure", f"state {number}", "a step leads to a state that is not listed")
            if not self.domain.exact:
                return Refused("closure", f"state {number}", "a step reads an open value of too many bits")
        return Accepted()

    # ----------------------------------------------------------------------------------------------- states as numbers
    def _global(self, g: Globals) -> int:
        if g not in self.global_ids:
            self.global_ids[g] = len(self.globals)
            self.globals.append(g)
        return self.global_ids[g]

    def _thread(self, template: int, thread: LocalState) -> int:
        key = template, thread
        if key not in self.thread_ids:
            self.thread_ids[key] = len(self.threads)
            self.threads.append(thread)
        return self.thread_ids[key]

    def _arrived(self, template: int, thread: LocalState) -> int:
        return self._thread(template, forget(self.forget[template][thread[0]], thread))

    def _canonical(self, state: list[int]) -> tuple[int, ...]:
        """Threads of one template sorted."""
        pairs = sorted(zip(self.crew, state[1:], strict=True))
        return state[0], *(x for _, x in pairs)

    # ----------------------------------------------------------------------------------------------- obligations
    def _successors(self, state: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        threads = [self.threads[x] for x in state[1:]]
        holder = self.machine.holder(self.crew, threads)
        for i, template in enumerate(self.crew):
            if holder is None or holder == i:
                for g, thread, guards in self._steps(template, state[0], state[i + 1]):
                    if self.machine.guards_pass(guards, self.crew, threads, i):
                        yield self._canonical([g, *state[1:i + 1], thread, *state[i + 2:]])

    def _steps(self, template: int, g: int, thread: int) -> list[tuple[int, int, tuple[AllAt, ...]]]:
        key = template, g, thread
        if key not in self.steps:
            moves = self.machine.moves(template, self.globals[g], self.threads[thread], self.domain)
            self.steps[key] = [(self._global(m.globals), self._arrived(template, m.thread), m.guards) for m in moves]
        return self.steps[key]

    def _bad(self, state: tuple[int, ...]) -> bool:
        g = self.globals[state[0]]
        threads = [self.threads[x] for x in state[1:]]
        match self.question:
            case RaceOn(variable=x):
                near = [(t, ready(self.machine, x, t, g, thread)) for t, thread in zip(self.crew, threads, strict=True)]
                return any(clash(self.machine, *one, *other) for one, other in itertools.combinations(near, 2))
            case Assertions():
                at = [(self.program.templates[t].cfa, thread[0]) for t, thread in zip(self.crew, threads, strict=True)]
                return (any(q in cfa.errors for cfa, q in at) or sum(q in cfa.critical for cfa, q in at) > 1
                        or self.machine.broken_invariant(g, any(q in cfa.atomic for cfa, q in at)) is not None)
        raise Malformed("an unknown question")


# --------------------------------------------------------------------------------------------------- reading
def _values(data: Any, variables: tuple[Variable, ...]) -> tuple[Value, ...]:
    return tuple(_array(x) if v.is_array else None if x is None else as_integer(x, "a value")
                 for x, v in zip(as_list(data, "a valuation", len(variables)), variables, strict=True))


def _array(data: Any) -> Value:
    default, items = as_list(data, "the value of an array", 2)
    pairs = (as_list(item, "an element", 2) for item in as_list(items, "elements"))
    elements = {as_integer(i, "an index"): None if x is None else as_integer(x, "a value") for i, x in pairs}
    return cells(None if default is None else as_integer(default, "a value"), elements)


def _names(data: Any, program: Program) -> VariableSet:
    as_object(data, "open", ("globals", "locals"))
    rows = [frozenset(as_text(name, "a name") for name in as_list(row, "names"))
            for row in (data["globals"], *as_list(data["locals"], "the locals of `open`", len(program.templates)))]
    return from_rows(program, rows[0], rows[1:])


def _thread(data: Any, size: int, variables: tuple[Variable, ...]) -> LocalState:
    location, local = as_list(data, "a thread", 2)
    return as_natural(location, "a location", size), _values(local, variables)


def _forget(data: Any, size: int, variables: tuple[Variable, ...]) -> list[tuple[int, ...]]:
    scalars = {i for i, v in enumerate(variables) if not v.is_array}
    rows = [as_integers(row, "forgotten locals") for row in as_list(data, "forget", size)]
    if any(slot not in scalars for row in rows for slot in row):
        raise Malformed("only a scalar local can be forgotten")
    return rows
