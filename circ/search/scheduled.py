"""A search that follows a schedule which somebody else says leads to a failure (`circ.verdict.Hints.schedule`).

Best first: whoever has passed more waypoints comes before others, and among those whoever did less that the schedule does not
speak of. A waypoint guides and proves nothing: every state on the way is looked at, so a race beside the schedule is found as
well, and a schedule that leads nowhere costs its effort, which is counted in states. What is found is a trace, which the kernel
replays.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from circ.kernel.doubts import doubt
from circ.search.sample_values import nearby, samples
from circ.search.shorten import shortened
from circ.search.trace_building import FoundState, build_trace
from circ.semantics.conflicts import Ready, clash, ready
from circ.semantics.evaluation import Undefined
from circ.semantics.interpreter import Domain, Globals, LocalState, Machine, Move, State
from circ.semantics.violations import violation_at_end
from circ.verdict import Observer, Options, Question, RaceOn, Refuted, Statistics, Trace, Unknown, Verdict, Waypoint
from circ.views.sure import is_doubtful
from frontend.program import Assume, Program, Role
from frontend.records import dataclass

EFFORT, MORE = 20_000, 50
"""States in all, and more for each waypoint."""
STALLED = 24
"""After so many steps without a waypoint, those that are one waypoint behind come first."""
MOST_COPIES, MOST_VALUES = 8, 64
SHORTENING = 200_000


@dataclass(frozen=True, slots=True)
class _Node:
    """A state on the way: `passed` waypoints, the witness's `numbers` for threads, and how it was come to."""

    globals: Globals
    threads: tuple[LocalState, ...]
    passed: int
    numbers: tuple[tuple[int, int], ...]
    stalled: int
    depth: int
    parent: _Node | None
    step: tuple[int, Move] | None


class ScheduledSearch:
    """Looks for one failure of a program along a schedule."""

    def __init__(self, program: Program, question: Question, schedule: Sequence[Waypoint]) -> None:
        self.program, self.question, self.schedule = program, question, schedule
        self.machine = Machine(program)
        spoken = [n for w in schedule for e in w.holds.values() for n in nearby(Assume(e))]
        self.domain = Domain(tuple(dict.fromkeys((*spoken, *samples(program))))[:MOST_VALUES], exact_width=1)
        self.crew = self._crew()
        self.conditions = [{t: self.machine.function(t, e) for t, e in w.holds.items()} for w in schedule]
        self.states = 0

    def _crew(self) -> tuple[int, ...]:
        """Counted threads as they are; of the others as many as the schedule speaks of."""
        told = len({w.thread for w in self.schedule if w.thread is not None})
        copies = min(max(2, told), MOST_COPIES)
        return tuple(i for i, t in enumerate(self.program.templates)
                     for _ in range(t.count if t.count is not None else min(copies, t.most or copies)))

    def run(self, options: Options) -> Trace | None:
        """A run that fails, if one is found within the effort."""
        start = self.machine.open_start(self.crew)
        main = [i for i, t in enumerate(self.crew) if self.program.templates[t].role is Role.MAIN]
        first = _Node(start.globals, start.threads, 0, ((0, main[0]),) if main else (), 0, 0, None, None)
        queue: list[tuple[int, int, int, _Node]] = []
        seen: set[object] = set()
        serial = 0
        limit = EFFORT + MORE * len(self.schedule)
        fresh: Iterator[_Node] = iter((first,))
        while True:
            for node in fresh:
                key = node.globals, node.threads, node.passed, node.numbers
                if key in seen:
                    continue
                seen.add(key)
                if (found := self._judged(node)) is not None:
                    return found
                serial += 1
                behind = STALLED * (len(self.schedule) - node.passed) + node.stalled
                heapq.heappush(queue, (behind, node.depth, serial, node))
            if not queue or self.states >= limit:
                return None
            if self.states % 256 == 0:
                options.check_time()
            self.states += 1
            fresh = self._after(heapq.heappop(queue)[3])

    # ----------------------------------------------------------------------------------------------- steps
    def _after(self, node: _Node) -> Iterator[_Node]:
        holder = self.machine.holder(self.crew, node.threads)
        for i in range(len(self.crew)) if holder is None else (holder,):
            for move in self.machine.moves(self.crew[i], node.globals, node.threads[i], self.domain):
                if is_doubtful(self.machine.edge(self.crew[i], move.edge)):
                    continue
                if move.guards and not self.machine.guards_pass(move.guards, self.crew, node.threads, i):
                    continue
                yield self._stepped(node, i, move)

    def _stepped(self, node: _Node, i: int, move: Move) -> _Node:
        threads = (*node.threads[:i], move.thread, *node.threads[i + 1:])
        passed, numbers = self._passes(node, i, move)
        if passed > node.passed:
            stalled = 0
        else:
            stalled = node.stalled + 1 + 2 * (not self._wanted(node, i))
        return _Node(move.globals, threads, passed, numbers, stalled, node.depth + 1, node, (i, move))

    def _wanted(self, node: _Node, i: int) -> bool:
        """Whether the next waypoint may be one of this thread."""
        if node.passed == len(self.schedule):
            return True
        number = self.schedule[node.passed].thread
        return number is None or (dict(node.numbers).get(number, i) == i and self._free(node, number, i))

    def _free(self, node: _Node, number: int, i: int) -> bool:
        """Whether the thread is that of the number, or of none yet."""
        return all(n == number for n, thread in node.numbers if thread == i)

    def _passes(self, node: _Node, i: int, move: Move) -> tuple[int, tuple[tuple[int, int], ...]]:
        """How many waypoints are passed after a step, and whose numbers are known then."""
        if node.passed == len(self.schedule) or not self._wanted(node, i):
            return node.passed, node.numbers
        template, waypoint = self.crew[i], self.schedule[node.passed]
        if waypoint.stops:
            here = any((template, e) in waypoint.edges for e in self.machine.leaving(template, move.thread[0]))
        else:
            here = (template, move.edge) in waypoint.edges
        if not here or not self._holds(node, i, move, waypoint.stops):
            return node.passed, node.numbers
        known = dict(node.numbers)
        if waypoint.thread is not None:
            known.setdefault(waypoint.thread, i)
        return node.passed + 1, tuple(sorted(known.items()))

    def _holds(self, node: _Node, i: int, move: Move, arrived: bool) -> bool:
        """Whether the condition of the next waypoint holds; what is open may be what it says."""
        condition = self.conditions[node.passed].get(self.crew[i])
        if condition is None:
            return True
        g, local = (move.globals, move.thread[1]) if arrived else (node.globals, node.threads[i][1])
        try:
            return bool(condition(g, local))
        except Undefined:
            return True

    # ----------------------------------------------------------------------------------------------- failures
    def _judged(self, node: _Node) -> Trace | None:
        """The run to a state, if it shows what is asked for and rests on no doubt."""
        accesses = self._race(node, self.question.variable) if isinstance(self.question, RaceOn) else self._violation(node)
        if accesses is None:
            return None
        path: list[tuple[int, Move]] = []
        at: _Node | None = node
        while at is not None and at.step is not None:
            path.append(at.step)
            at = at.parent
        trace = build_trace(self.program, self.machine, self.question, self.crew, path[::-1], range(len(self.crew)),
                            FoundState(0, accesses))
        if doubt(self.program, trace) is not None:
            return None
        return shortened(self.machine, trace, SHORTENING) if isinstance(self.question, RaceOn) else trace

    def _race(self, node: _Node, x: str) -> tuple[tuple[int, int, int], ...] | None:
        near: list[tuple[int, tuple[Ready, ...]]] = []
        for i, t in enumerate(self.crew):
            try:
                found = ready(self.machine, x, t, node.globals, node.threads[i])
            except Undefined:
                continue
            for j, others in near if found else ():
                pair = clash(self.machine, self.crew[j], others, t, found)
                if pair is not None:
                    return (j, *pair[0][:2]), (i, *pair[1][:2])
            if found:
                near.append((i, found))
        return None

    def _violation(self, node: _Node) -> tuple[tuple[int, int, int], ...] | None:
        if self.program.relies:
            return None
        try:
            state = State(node.globals, node.threads)
            return None if violation_at_end(self.machine, self.crew, [state], []) is None else ()
        except Undefined:
            return None


def follow(program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
    """The failure that the schedule among the hints leads to, or that it comes by."""
    assert options.hints is not None
    search = ScheduledSearch(program, question, options.hints.schedule)
    trace = search.run(options)
    observer("witness", {"states": search.states})
    if trace is None:
        return Unknown("the schedule of the witness leads to no failure", statistics=Statistics(states=search.states))
    return Refuted(trace, Statistics(states=search.states, by="witness"))

