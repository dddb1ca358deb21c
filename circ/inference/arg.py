"""Abstract reachability: `reach_and_build` (Algorithm 1) with Connect, Find and Union (Algorithms 2-4).

One thread of a template is the *main* thread, tracked by predicates; the others are abstract threads, counted per class.
The abstract reachability graph (ARG) collects what the main thread may do; states that the environment turns into each
other are one node of it. Departure from the paper, for soundness: the edge and the Union are added first, and the labels
of the occupied classes only decide that a state is not *expanded* (soundness ledger, first row).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import TypeAlias

from circ.abstraction.abstract_errors import AccessPair, Errors, ThreadState
from circ.abstraction.counters import Context, ContextClass, move
from circ.abstraction.predicates import Abstraction
from circ.abstraction.skeleton import Segment, Skeleton
from circ.inference.acfa import Acfa, ContextMove
from circ.verdict import Options, OutOfTime
from frontend.program import AllAt
from frontend.records import dataclass


class Arg:
    """The abstract reachability graph of one template; only ever grows, so that context inference is monotone."""

    def __init__(self, skeleton: Skeleton, abstraction: Abstraction) -> None:
        self.skeleton, self.abstraction = skeleton, abstraction
        self.initial: dict[ThreadState, None] = {}
        self._parent: dict[ThreadState, ThreadState] = {}
        self._edges: dict[tuple[ThreadState, int, ThreadState], Segment] = {}
        self.version = 0
        """Grows with every new state, edge or union."""

    def start(self, state: ThreadState) -> None:
        self.find(state)
        self.initial.setdefault(state)

    def find(self, state: ThreadState) -> ThreadState:
        """The node that holds a thread state, as its representative; a new node if the state is new."""
        parent = self._parent
        if state not in parent:
            parent[state] = state
            self.version += 1
            return state
        root = state
        while parent[root] != root:
            root = parent[root]
        while parent[state] != root:
            parent[state], state = root, parent[state]
        return root

    def connect(self, source: ThreadState, segment: Segment, target: ThreadState) -> None:
        """A step of the thread itself."""
        key = (source, segment.number, target)
        if key not in self._edges:
            self.find(source)
            self.find(target)
            self._edges[key] = segment
            self.version += 1

    def union(self, a: ThreadState, b: ThreadState) -> None:
        """The environment may turn one state into the other: one node."""
        left, right = self.find(a), self.find(b)
        if left != right:
            self._parent[max(left, right)] = min(left, right)
            self.version += 1

    def nodes(self) -> dict[ThreadState, tuple[ThreadState, ...]]:
        """Each node's representative with its states, in a fixed order."""
        groups: dict[ThreadState, list[ThreadState]] = {}
        for state in sorted(self._parent):
            groups.setdefault(self.find(state), []).append(state)
        return {root: tuple(states) for root, states in groups.items()}

    def edges(self) -> Iterator[tuple[ThreadState, Segment, ThreadState]]:
        for (source, _, target), segment in self._edges.items():
            yield source, segment, target

    def colour(self, states: Sequence[ThreadState]) -> object:
        """What `collapse` must keep apart: what others see of the location, the questioned accesses, the global label."""
        q = states[0][0]
        sk = self.skeleton
        edges = sk.original.cfa.edges
        next_ones = ((edges[i], edges[i].accesses[j]) for i, j in sk.accesses[q])
        accesses = frozenset((a.write, a.kind, e.protected) for e, a in next_ones)
        return sk.atomic[q], sk.error[q], sk.critical[q], sk.awaited[q], accesses, frozenset(s[1] for s in states)

    @property
    def size(self) -> int:
        return len(self._parent)


# --------------------------------------------------------------------------------------------------- thread-context programs
@dataclass(frozen=True, slots=True)
class MainStep:
    segment: Segment


@dataclass(frozen=True, slots=True)
class ContextStep:
    """A context thread in `source` moved; `mask` was the global mask before."""

    source: ContextClass
    mask: int
    move: ContextMove


@dataclass(frozen=True, slots=True)
class AbstractTrace:
    """How an error state of the thread-context program was reached.

    If it takes a second thread, `partner` is its class, with the states of the class that make the error and how.
    """

    main: int
    context: Context
    steps: tuple[MainStep | ContextStep, ...]
    state: ThreadState
    partner: tuple[ContextClass, tuple[tuple[ThreadState, tuple[AccessPair, ...]], ...]] | None


class AbstractError(Exception):
    """An error state of the thread-context program can be reached, in the abstraction."""

    def __init__(self, trace: AbstractTrace) -> None:
        super().__init__("abstract error")
        self.trace = trace


class RoundTooLong(OutOfTime):
    """A round has come to its limit of abstract states."""


@dataclass(slots=True)
class AbstractSystem:
    """Everything a round of context inference works on: a skeleton, an abstraction and an ARG for each template."""

    skeletons: tuple[Skeleton, ...]
    abstractions: tuple[Abstraction, ...]
    args: tuple[Arg, ...]
    errors: Errors
    options: Options
    states: int = 0
    _allowed: dict[tuple[int, int, int], bool] = field(default_factory=dict)
    """By the identity of demands, which are asked about much more often than they are equal; `_demands` keeps them alive."""
    _demands: dict[int, tuple[AllAt, ...]] = field(default_factory=dict)

    def count(self, t: int) -> int | None:
        return self.skeletons[t].original.count

    def endless(self, t: int) -> bool:
        """Whether threads of the template may always be left at their start: any number of them, and nobody waits for them."""
        return self.count(t) is None and not any(
            guard.template == self.skeletons[t].template
            for sk in self.skeletons for row in sk.segments for s in row for guard in s.guards
        )

    def allows(self, demands: tuple[AllAt, ...], t: int, anchor: int) -> bool:
        """Whether another thread at this anchor may be where `demands` want it to be."""
        key = id(demands), t, anchor
        known = self._allowed.get(key)
        if known is None:
            self._demands[id(demands)] = demands
            name = self.skeletons[t].template
            known = self._allowed[key] = all(
                d.template != name or any(q in d.locations for q in self.locations(t, anchor)) for d in demands
            )
        return known

    def locations(self, t: int, anchor: int) -> tuple[int, ...]:
        sk = self.skeletons[t]
        return next(sk.members[node] for node, number in sk.anchor_of.items() if number == anchor)

    def spend(self, states: int = 1) -> None:
        self.states += states
        if self.states % 256 == 0:
            self.options.check_time()
        if self.states > self.options.max_states:
            raise RoundTooLong("too many abstract states")


ArgState: TypeAlias = tuple[ThreadState, Context]
_Seen: TypeAlias = dict[ArgState, tuple[ArgState, MainStep | ContextStep] | None]
"""Every state reached, with the state and the step it came from."""


def reach_and_build(system: AbstractSystem, main: int, acfas: Sequence[Acfa], context: Context, k: int) -> None:
    """Explores the main thread in its context and adds what it does to its ARG; raises AbstractError at an error state.

    `context` holds the start classes; counts there are exact, or OMEGA for more than k (infinitely many, if `endless`).
    """
    sk, ab, arg = system.skeletons[main], system.abstractions[main], system.args[main]
    endless = {key for key, n in context if n > k and system.endless(key[0])}
    seen: _Seen = {}
    queue: list[ArgState] = []

    def put(node: ArgState, came: tuple[ArgState, MainStep | ContextStep] | None) -> None:
        if node in seen or not _plausible(system, acfas, main, node):
            return
        system.spend()
        seen[node] = came
        _raise_if_error(system, acfas, main, node, seen, context)
        queue.append(node)

    for g, l in ab.initial():
        state = (sk.start, g, l)
        arg.start(state)
        put((state, context), None)
    for node in queue:
        (q, g, l), gamma = node
        holders = [key for key, _ in gamma if acfas[key[0]].atomic[key[1]]]
        if not holders:
            for segment in sk.segments[q]:
                if segment.guards and not all(_demands_met(system, acfas, segment.guards, key) for key, _ in gamma):
                    continue
                for g2, l2 in ab.post(segment, g, l):
                    after = (segment.target, g2, l2)
                    arg.connect((q, g, l), segment, after)
                    put((after, gamma), (node, MainStep(segment)))
        if sk.atomic[q] or len(holders) > 1:
            continue
        for key in holders or [key for key, _ in gamma]:
            acfa = acfas[key[0]]
            for step in acfa.moves[key[1]].get(g, ()):
                g2, writes, target, demands = step
                if demands and not (system.allows(demands, main, q) and all(
                        _demands_met(system, acfas, demands, other) for other, n in gamma if other != key or n > 1)):
                    continue
                afterwards = move(gamma, key, (key[0], target), k, key in endless)
                for l2 in ab.disturbed(q, g2, l, writes):
                    after = (q, g2, l2)
                    arg.union((q, g, l), after)
                    for gamma2 in afterwards:
                        put((after, gamma2), (node, ContextStep(key, g, step)))


def _demands_met(system: AbstractSystem, acfas: Sequence[Acfa], demands: tuple[AllAt, ...], key: ContextClass) -> bool:
    return any(system.allows(demands, key[0], anchor) for anchor in acfas[key[0]].anchors[key[1]])


def _plausible(system: AbstractSystem, acfas: Sequence[Acfa], main: int, node: ArgState) -> bool:
    """Whether every occupied class has a state that fits the main thread's (the psi of the paper, for expansion only)."""
    state, gamma = node
    for (t, c), _ in gamma:
        if acfas[t].states[c]:
            if state[1] not in acfas[t].label[c]:
                return False
            if system.errors.joint and not any(system.errors.fit(main, state, t, s) for s in acfas[t].by_mask[c][state[1]]):
                return False
    return True


def _raise_if_error(system: AbstractSystem, acfas: Sequence[Acfa], main: int, node: ArgState, seen: _Seen,
                    context: Context) -> None:
    state, gamma = node
    partner = None
    if not system.errors.alone(main, state):
        for (t, c), _ in gamma:
            guilty = ((s, system.errors.clashes(main, state, t, s)) for s in acfas[t].by_mask[c].get(state[1], ()))
            proved = tuple((s, clashes) for s, clashes in guilty if clashes is not None)
            if proved:
                partner = ((t, c), proved)
                break
        else:
            return
    steps: list[MainStep | ContextStep] = []
    at = node
    while (back := seen[at]) is not None:
        steps.append(back[1])
        at = back[0]
    raise AbstractError(AbstractTrace(main, context, tuple(reversed(steps)), state, partner))
