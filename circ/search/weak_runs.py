"""Random runs under C11's memory orders (`circ.semantics.weak_memory`): races that no interleaving of the latest values shows.

Threads take turns at random; a load that may give an old value does so now and then. The search is for all variables at once,
deterministic (the random numbers are the same in every run, effort is counted in steps), and proves nothing. A run that is
found is shortened by leaving out steps as long as it replays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from random import Random

from circ.kernel.doubts import doubt
from circ.kernel.replay import Replayed, replay
from circ.search.sample_values import samples
from circ.semantics.evaluation import Undefined, Value, cells
from circ.semantics.interpreter import Code, Machine
from circ.semantics.weak_memory import PastAccess, WeakRun
from circ.verdict import Choice, Observer, Options, Question, RaceOn, Refuted, Statistics, Step, Trace, Unknown, Verdict
from circ.views.sure import is_doubtful
from frontend.program import AccessKind, Arbitrary, Program, Self, Variable
from frontend.records import dataclass

EFFORT = 30_000
"""Steps of all runs about one question."""
LENGTHS = (60, 150, 400, 60, 1_500)
SWITCHES = (0.5, 0.2, 0.05)
OLD = (0.5, 0.15, 0.9)
"""How often a load reads an older store, where it may."""
COPIES = (2, 3, 2, 24)
"""Threads of each template of unbounded number, in turn."""
SHORTENING = 40_000
"""Steps to replay for a shorter run."""


class WeakRuns:
    """Answers the questions of one program in turn; keeps the races that it comes across."""

    def __init__(self) -> None:
        self._program: Program | None = None
        self._found: dict[str, Trace] = {}
        self._number = 0

    def __call__(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        if not isinstance(question, RaceOn):
            return Unknown("random runs look for races only", ("weak-runs",))
        if program is not self._program:
            self._program, self._found, self._number = program, {}, 0
            self._shared = _Shared(program)
        effort = EFFORT
        while effort > 0 and question.variable not in self._found:
            options.check_time()
            run = _RandomRun(self._shared, self._number, self._found.keys())
            observer("weak runs", {"run": self._number})
            self._number += 1
            effort -= run.go(min(LENGTHS[self._number % len(LENGTHS)], effort)) + 5
            if run.trace is not None:
                self._found[str(run.trace.question)] = run.trace
        if question.variable not in self._found:
            return Unknown("no race in random runs under memory orders", ("weak-runs",))
        trace = self._found[question.variable]
        return Refuted(trace, Statistics(states=len(trace.steps), by="weak-runs"))


@dataclass(slots=True)
class _Shared:
    """What all runs of one program share."""

    program: Program
    machine: Machine = field(init=False)
    values: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.machine = Machine(self.program)
        self.values = tuple(samples(self.program))


class _RandomRun:
    """One run, until a race on a variable that is not in `known`."""

    def __init__(self, shared: _Shared, number: int, known: object) -> None:
        self.shared, self.machine, self.random = shared, shared.machine, Random(number)
        self.known = frozenset(known)  # type: ignore[call-overload]
        self.switch, self.old = SWITCHES[number % 3], OLD[number // 3 % 3]
        program = shared.program
        self.crew = tuple(n for n, t in enumerate(program.templates)
                          for _ in range(COPIES[number % len(COPIES)] if t.count is None else t.count))
        self.run = WeakRun(self.machine, self.crew, self.machine.start(self.crew, self._start))
        self.steps: list[Step] = []
        self.trace: Trace | None = None

    def _start(self, v: Variable, thread: int | None) -> Value:
        if isinstance(v.start, Self):
            assert thread is not None, "only a thread has a number"
            return v.type.wrap(sum(t == self.crew[thread] for t in self.crew[:thread]) + v.start.offset)
        assert isinstance(v.start, Arbitrary)
        return cells(0, {}) if v.is_array else 0

    def go(self, length: int) -> int:
        """Takes steps until a race is found, nobody can go on, or there were so many; gives their number."""
        thread = 0
        while len(self.steps) < length:
            holder = self.machine.holder(self.crew, self.run.state.threads)
            others = list(range(len(self.crew)))
            if holder is not None:
                thread, others = holder, [holder]
            elif self.random.random() < self.switch:
                thread = self.random.choice(others)
            self.random.shuffle(others)
            if not any(self._move(t) for t in (thread, *others)) or self.trace is not None:
                break
        return len(self.steps)

    def _move(self, thread: int) -> bool:
        """A step of the thread, if it has one; or the race that its next access makes."""
        template, location = self.crew[thread], self.run.state.threads[thread][0]
        edges = [e for e in self.machine.leaving(template, location) if not is_doubtful(self.machine.edge(template, e))]
        self.random.shuffle(edges)
        for e in edges:
            self.trace = self._race(thread, e)
            if self.trace is not None:
                return True
            for source in self._sources(thread, e):
                choices: list[Choice] = []
                if self._step(thread, e, source, choices):
                    self.steps.append(Step(thread, e, tuple(choices), source))
                    return True
        return False

    def _step(self, thread: int, e: int, source: int | None, choices: list[Choice]) -> bool:
        code = self.machine.code(self.crew[thread], e)
        try:
            return self.run.step(thread, e, lambda k, index: self._fill(code, k, index, choices), source)
        except Undefined:
            return False

    def _fill(self, code: Code, k: int, index: int | None, choices: list[Choice]) -> Value:
        hole = code.holes[k]
        if hole.whole:
            return cells(0, {})
        fitting = [v for v in self.shared.values if hole.type.low <= v <= hole.type.high] or [hole.type.low]
        value = self.random.choice(fitting)
        choices.append(Choice(hole.variable, value, index))
        return value

    def _sources(self, thread: int, e: int) -> Iterator[int | None]:
        """Which store to read, the first choice first: an old one now and then."""
        readable = self.run.readable(thread, e)[:-1]
        old = self.random.choice(readable) if readable and self.random.random() < self.old else None
        yield old
        if old is not None:
            yield None
        elif readable:
            yield self.random.choice(readable)

    def _race(self, thread: int, e: int) -> Trace | None:
        edge = self.machine.edge(self.crew[thread], e)
        g, (_, local) = self.run.state.globals, self.run.state.threads[thread]
        for at, a in enumerate(edge.accesses):
            if a.kind is AccessKind.SYNC or a.variable in self.known:
                continue
            try:
                past = self.run.races(thread, e, at)
                if past is None or not self.machine.is_next(self.crew[thread], e, at, g, local):
                    continue
            except Undefined:
                continue
            trace = self._told(a.variable, past, (thread, e, at))
            program = self.shared.program
            if isinstance(replay(program, trace, self.machine), Replayed) and doubt(program, trace) is None:
                return shortened(self.machine, trace)
        return None

    def _told(self, variable: str, past: PastAccess, access: tuple[int, int, int]) -> Trace:
        program = self.shared.program
        start = tuple(Choice(v.name, value, None, i) for i, t in enumerate(self.crew) for v in program.templates[t].locals
                      if isinstance(v.start, Self) and isinstance(value := self._start(v, i), int))
        return Trace(program.fingerprint(), RaceOn(variable), tuple(program.templates[t].name for t in self.crew), start,
                     tuple(self.steps), ((past.thread, past.edge, past.access), access), past.step)


def shortened(machine: Machine, trace: Trace) -> Trace:
    """The run without steps that it does without: many at once first, then fewer."""
    effort, size = SHORTENING, max(1, len(trace.steps) // 2)
    while size and effort > 0:
        at = len(trace.steps)
        while at > 0 and effort > 0:
            fewer = _without(trace, max(0, at - size), at)
            effort -= len(trace.steps)
            if fewer is not None and isinstance(replay(machine.program, fewer, machine), Replayed) \
                    and doubt(machine.program, fewer) is None:
                trace = fewer
            at -= size
        size = size // 2
    return trace


def _without(trace: Trace, low: int, high: int) -> Trace | None:
    """The trace without the steps from `low` to before `high`; None if it needs one of them."""
    assert trace.earlier is not None
    if low <= trace.earlier < high:
        return None

    def moved(n: int) -> int:
        return n if n < low else n - (high - low)

    left = (*trace.steps[:low], *trace.steps[high:])
    if any(s.source is not None and low <= s.source < high for s in left):
        return None
    steps = tuple(s if s.source is None or s.source < 0 else replace(s, source=moved(s.source)) for s in left)
    return replace(trace, steps=steps, earlier=moved(trace.earlier))


def engine() -> WeakRuns:
    return WeakRuns()
