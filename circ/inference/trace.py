"""Refine, first half: abstract traces to interleavings, and back to runs of the program.

A context step moves a counted, anonymous thread between classes. `concretise` gives the threads names and finds, through
the ARG whose quotient the ACFA is, the segments each of them takes; several choices of thread and path are tried, within
bounds. `expand` turns an interleaving of segments into edges of the program itself.
"""

from __future__ import annotations

import itertools
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from circ.abstraction.abstract_errors import AccessPair, ThreadState
from circ.abstraction.counters import OMEGA, ContextClass
from circ.abstraction.ordering import fetched, in_order
from circ.abstraction.skeleton import Segment
from circ.inference.arg import AbstractSystem, AbstractTrace, Arg, ContextStep
from circ.inference.silent_paths import KnownLocals, after, ways
from frontend.program import AllAt, primitive
from frontend.records import dataclass

MOST_PATHS = 4
MOST_INTERLEAVINGS = 24
MOST_VISITS = 3
MOST_RUNS = 16

Mu: TypeAlias = dict[ThreadState, int]

Partner: TypeAlias = tuple[ContextClass, tuple[tuple[ThreadState, tuple[AccessPair, ...]], ...]]


class CounterTooLow(Exception):
    """The abstract trace moves a thread that the counter abstraction does not account for: k must grow."""


@dataclass(frozen=True, slots=True)
class Interleaving:
    """Named threads (0 is the main one) with their templates, and the segments they take in turn.

    `partner` is the thread that makes the error together with thread 0, if it takes two, and `clashes` how.
    """

    threads: tuple[int, ...]
    steps: tuple[tuple[int, Segment], ...]
    partner: int | None
    clashes: tuple[AccessPair, ...] = ()


# --------------------------------------------------------------------------------------------------- threads and their paths
_Path: TypeAlias = tuple[tuple[Segment, ...], ...]
"""For each step of a thread's journey the segments that make it, silent ones first; the last entry trails behind."""


def concretise(system: AbstractSystem, mus: Sequence[Mu], trace: AbstractTrace) -> Iterator[Interleaving]:
    """Interleavings that the abstract trace may stand for, the most likely first; a bounded number of them."""
    seen: set[tuple[tuple[int, ...], tuple[tuple[int, int], ...]]] = set()
    for last_come_first_served in (False, True):
        cast, journeys, partner = _assign_threads(trace, last_come_first_served)
        options = []
        for thread, template in enumerate(cast[1:], 1):
            goal = trace.partner if thread == partner else None
            options.append(_paths(system.args[template], mus[template], [trace.steps[i] for i in journeys[thread]], goal))
        for choice in itertools.islice(_diagonal([len(o) for o in options]), MOST_INTERLEAVINGS):
            path = {thread: options[thread - 1][n] for thread, n in enumerate(choice, 1)}
            steps = _interleave(trace, journeys, path)
            key = (tuple(cast), tuple((t, s.number) for t, s in steps))
            if key not in seen:
                seen.add(key)
                clashes = _clashes(system, trace, partner, path)
                yield Interleaving(tuple(cast), steps, partner, clashes)


def _diagonal(sizes: list[int]) -> Iterator[tuple[int, ...]]:
    """Tuples of choices, those with small numbers first."""
    if all(sizes):
        yield from sorted(itertools.product(*(range(n) for n in sizes)), key=lambda c: (sum(c), c))


def _assign_threads(trace: AbstractTrace, last: bool) -> tuple[list[int], dict[int, list[int]], int | None]:
    """Templates of the threads, for each thread the trace positions of its steps, and the partner's number."""
    cast = [trace.main]
    journeys: dict[int, list[int]] = defaultdict(list)
    waiting: dict[ContextClass, list[int]] = defaultdict(list)
    endless: set[ContextClass] = set()

    def born(key: ContextClass) -> int:
        cast.append(key[0])
        return len(cast) - 1

    for key, n in trace.context:
        if n >= OMEGA:
            endless.add(key)
        else:
            waiting[key].extend(born(key) for _ in range(n))

    def take(key: ContextClass) -> int:
        if waiting[key]:
            return waiting[key].pop(-1 if last else 0)
        if key in endless:
            return born(key)
        raise CounterTooLow

    for i, step in enumerate(trace.steps):
        if isinstance(step, ContextStep):
            thread = take(step.source)
            journeys[thread].append(i)
            waiting[(step.source[0], step.move[2])].append(thread)
    partner = take(trace.partner[0]) if trace.partner else None
    return cast, journeys, partner


def _clashes(system: AbstractSystem, trace: AbstractTrace, partner: int | None, path: dict[int, _Path]) -> tuple[AccessPair, ...]:
    """How the partner, at the end of its path, clashes with the main thread."""
    if trace.partner is None or partner is None:
        return ()
    taken = [s for part in path[partner] for s in part]
    template = trace.partner[0][0]
    anchor = taken[-1].target if taken else system.skeletons[template].start
    return next(clashes for state, clashes in trace.partner[1] if state[0] == anchor)


def _paths(arg: Arg, mu: Mu, journey: Sequence[object], goal: Partner | None) -> list[_Path]:
    """A few ways through the ARG that follow the classes of a journey and, for the partner, end where it makes the error."""
    steps = [s for s in journey if isinstance(s, ContextStep)]
    if not steps and goal is None:
        return [((),)]
    classes = [s.source[1] for s in steps] + [steps[-1].move[2] if steps else goal[0][1] if goal else 0]
    graph: dict[ThreadState, list[tuple[ThreadState, Segment, ThreadState]]] = defaultdict(list)
    for source, segment, target in arg.edges():
        if source in mu and target in mu:
            graph[arg.find(source)].append((source, segment, target))
    ends = {arg.find(state) for state, _ in goal[1]} if goal else None
    queue: deque[tuple[int, ThreadState, tuple[tuple[int, Segment], ...]]] = deque()
    visits: dict[tuple[int, ThreadState], int] = defaultdict(int)
    for state in arg.initial:
        if mu.get(state) == classes[0]:
            queue.append((0, arg.find(state), ()))
    found: dict[_Path, None] = {}
    while queue and len(found) < MOST_PATHS:
        position, node, taken = queue.popleft()
        if visits[position, node] >= MOST_VISITS:
            continue
        visits[position, node] += 1
        if position == len(steps) and (ends is None or node in ends):
            found.setdefault(tuple(tuple(s for p, s in taken if p == i) for i in range(len(steps) + 1)))
        for source, segment, target in graph[node]:
            if mu[source] != classes[position]:
                continue
            if not segment.visible and mu[target] == classes[position]:
                queue.append((position, arg.find(target), (*taken, (position, segment))))
            if position < len(steps):
                step = steps[position]
                if source[1] == step.mask and (target[1], segment.writes, mu[target], segment.guards) == step.move:
                    queue.append((position + 1, arg.find(target), (*taken, (position, segment))))
    return list(found)


def _interleave(trace: AbstractTrace, journeys: dict[int, list[int]], path: dict[int, _Path]) -> tuple[tuple[int, Segment], ...]:
    owner = {i: (thread, n) for thread, positions in journeys.items() for n, i in enumerate(positions)}
    steps: list[tuple[int, Segment]] = []
    for i, step in enumerate(trace.steps):
        if isinstance(step, ContextStep):
            thread, n = owner[i]
            steps.extend((thread, s) for s in path[thread][n])
        else:
            steps.append((0, step.segment))
    for thread in sorted(path):
        steps.extend((thread, s) for s in path[thread][-1])
    return tuple(steps)


# --------------------------------------------------------------------------------------------------- down to edges
def expand(system: AbstractSystem, interleaving: Interleaving, clash: AccessPair | None) -> Iterator[tuple[tuple[int, int], ...]]:
    """Runs of the program's own edges, as (thread, edge index), that an interleaving of segments stands for.

    At the end the two threads of a race stand at the sources of the clashing edges.
    """
    named = 1 + max((thread for thread, _ in interleaving.steps), default=0)
    named = max(named, 1 + (interleaving.partner or 0))
    options = [len(segment.paths) for _, segment in interleaving.steps]
    forks: list[int] = []
    _expand_one(system, interleaving, clash, tuple(0 for _ in options), (), forks)
    for choice in itertools.islice(_variations([*options, *forks]), MOST_RUNS):
        run = _expand_one(system, interleaving, clash, choice[:len(options)], choice[len(options):], [])
        if run is not None:
            run = in_order([system.skeletons[t].original for t in interleaving.threads[:named]], run)
        if run is not None:
            everybody = [system.skeletons[t].original for t in interleaving.threads]
            ordered = _in_turn(system, interleaving, fetched(everybody, run, range(named, len(everybody))))
            if _may_happen(system, interleaving, ordered):
                yield tuple(ordered)


def with_bystanders(system: AbstractSystem, interleaving: Interleaving) -> Interleaving:
    """The interleaving with the counted threads that it does not mention, but somebody may wait for at another place than
    their start: they exist, and have to get there."""
    waits = [p for sk in system.skeletons for e in sk.original.cfa.edges for p in primitive(e.op) if isinstance(p, AllAt)]
    more = []
    for t, sk in enumerate(system.skeletons):
        if any(p.template == sk.template and sk.original.cfa.start not in p.locations for p in waits):
            more += [t] * ((system.count(t) or 0) - interleaving.threads.count(t))
    return replace(interleaving, threads=(*interleaving.threads, *more))


def _in_turn(system: AbstractSystem, interleaving: Interleaving, run: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The run with silent steps that would fall into another thread's atomic section taken before it."""
    templates = [system.skeletons[t].original for t in interleaving.threads]
    result: list[tuple[int, int]] = []
    inside: tuple[int, int] | None = None
    for thread, i in run:
        if inside is not None and inside[0] != thread:
            result.insert(inside[1], (thread, i))
            inside = (inside[0], inside[1] + 1)
            continue
        cfa = templates[thread].cfa
        if cfa.edges[i].target not in cfa.atomic:
            inside = None
        elif inside is None:
            inside = (thread, len(result))
        result.append((thread, i))
    return result


def _may_happen(system: AbstractSystem, interleaving: Interleaving, run: Sequence[tuple[int, int]]) -> bool:
    """Whether every step is allowed by where the other threads are, of which formulas know nothing."""
    templates = [system.skeletons[t].original for t in interleaving.threads]
    at = [t.cfa.start for t in templates]
    for thread, i in run:
        edge = templates[thread].cfa.edges[i]
        others = [(t, at[other]) for other, t in enumerate(templates) if other != thread]
        if edge.source != at[thread] or any(q in t.cfa.atomic for t, q in others):
            return False
        for guard in primitive(edge.op):
            if isinstance(guard, AllAt) and any(t.name == guard.template and q not in guard.locations for t, q in others):
                return False
        at[thread] = edge.target
    return True


def _variations(sizes: list[int]) -> Iterator[tuple[int, ...]]:
    """First choices everywhere, then one choice changed at a time."""
    base = tuple(0 for _ in sizes)
    yield base
    for i, n in enumerate(sizes):
        for value in range(1, n):
            yield (*base[:i], value, *base[i + 1:])


def _expand_one(
    system: AbstractSystem, interleaving: Interleaving, clash: AccessPair | None, choice: tuple[int, ...], turns: Sequence[int],
    forks: list[int],
) -> tuple[tuple[int, int], ...] | None:
    """The run by the chosen paths of the segments and the chosen silent ways between them; `forks` gets how many there are."""
    templates = [system.skeletons[t] for t in interleaving.threads]
    at = [sk.original.cfa.start for sk in templates]
    known: list[KnownLocals] = [{} for _ in templates]
    run: list[tuple[int, int]] = []

    def take(thread: int, i: int) -> None:
        edge = templates[thread].original.cfa.edges[i]
        run.append((thread, i))
        at[thread], known[thread] = edge.target, after(templates[thread].original, edge.op, known[thread]) or {}

    def go(thread: int, location: int) -> bool:
        """Silent steps inside the node to `location`."""
        possible = ways(templates[thread], at[thread], location, known[thread])
        forks.append(len(possible))
        if not possible:
            return False
        turn = turns[len(forks) - 1] if len(forks) <= len(turns) else 0
        for i in possible[min(turn, len(possible) - 1)]:
            take(thread, i)
        return True

    for (thread, segment), which in zip(interleaving.steps, choice, strict=True):
        edges = system.skeletons[interleaving.threads[thread]].original.cfa.edges
        for i in segment.paths[which]:
            if not go(thread, edges[i].source):
                return None
            take(thread, i)
    if clash is not None and interleaving.partner is not None:
        for thread, (i, _) in zip((0, interleaving.partner), clash, strict=True):
            if not go(thread, system.skeletons[interleaving.threads[thread]].original.cfa.edges[i].source):
                return None
    return tuple(run)
