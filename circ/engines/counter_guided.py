"""Engine `counter-guided`: counter-guided parameterised verification of finite-state threads (Algorithm 6 of the CIRC paper).

A state of the counter abstraction (T, k) is the globals and, for each local state (template, location, locals) that occurs,
how many threads are in it: 0..k, or omega for more. A breadth-first search gives the shortest error; it is genuine if threads
with names can take its steps, else k grows. Departures from the paper: k starts at 1 and omega - 1 is k or omega unless the
threads are truly endless (`circ.counters`); genuine is decided by taking the steps, not by m <= k; and `safe` is only said with
a certificate, the pairs of `circ.engines.concrete_pairs`, so what pairs of threads cannot express stays unknown.

Finite-state is what stays small when it is explored. Values that the program leaves open are enumerated when they are
read; one of more than 8 bits, or a variable that takes too many values, ends in `unknown` with its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from circ.counters import OMEGA, Context, Key, move, with_count
from circ.engines.concrete_pairs import CannotExpress, certificate_of
from circ.engines.concrete_threads import LocalStates, NotFinite
from circ.engines.explicit_facts import waited_for
from circ.engines.explicit_trace import Found, build_trace
from circ.kernel.certificate import check_certificate
from circ.kernel.outcome import Accepted
from circ.kernel.replay import Replayed, replay
from circ.verdict import (
    Engine,
    Observer,
    Options,
    Question,
    Refuted,
    Safe,
    Statistics,
    Trace,
    Unknown,
    Verdict,
    silent,
)
from frontend.cfa import AllAt, Program, Self
from frontend.interpret import Move

MOST_K = 8
FEW_STATES, MOST_STATES = 2_000, 40_000
"""After the first number of states pairs of threads are tried for a proof, after the second the search ends."""

Step = tuple[Key, Move, Key]
"""A thread in one local state takes a move to another."""


def engine() -> Engine:
    return answer


def answer(program: Program, question: Question, options: Options, observer: Observer = silent) -> Verdict:
    """Algorithm 6."""
    refusal = _refusal(program)
    if refusal is not None:
        return Unknown(refusal, advice="use --engine omega-circ")
    states, explored = LocalStates(program, question, options), 0
    pairs: Verdict | None = None
    try:
        for k in range(max(1, options.k or 1), MOST_K + 1):
            search = ModelCheck(states, k, options)
            error = search.run(FEW_STATES)
            if search.full:
                pairs = pairs or _proved(states, Statistics(k=k, states=explored + len(search.seen)))
                if isinstance(pairs, Safe):
                    return pairs
                error = search.run(MOST_STATES)
            explored += len(search.seen)
            observer("counter-guided", {"k": k, "states": len(search.seen)})
            statistics = Statistics(k=k, states=explored)
            if search.full:
                return Unknown(f"more than {MOST_STATES} states with threads counted up to {k}; {states.largest()}",
                               advice="use --engine omega-circ", statistics=statistics)
            if error is None:
                return pairs or _proved(states, statistics)
            trace = genuine(states, *error)
            if trace is not None:
                return Refuted(trace, statistics)
    except NotFinite as reason:
        return Unknown(f"not finite-state: {reason}", advice="use --engine omega-circ", statistics=Statistics(states=explored))
    return Unknown(f"counters up to {MOST_K} do not tell a possible error from a real one", advice="use --engine explicit",
                   statistics=Statistics(k=MOST_K, states=explored))


def _refusal(program: Program) -> str | None:
    """Why the threads are not copies of finitely many finite ones, if that can be seen at once."""
    for t in program.templates:
        if t.count is None and any(isinstance(v.start, Self) for v in t.locals):
            return f"not finite-state: any number of threads of {t.name}, each with a number of its own"
        if t.count is None and t.name in waited_for(program):
            return f"any number of threads of {t.name} are waited for"
    return None


def _proved(states: LocalStates, statistics: Statistics) -> Verdict:
    """A certificate that there is no error, or the reason why there is none."""
    why = f"no error in any pair of the {states.size} local states of the threads that can occur together"
    try:
        certificate = certificate_of(states)
    except CannotExpress as reason:
        return _not_by_pairs(str(reason), statistics)
    outcome = check_certificate(states.program, states.question, certificate)
    if isinstance(outcome, Accepted):
        return Safe(certificate, (why,), statistics=statistics)
    return _not_by_pairs(outcome.obligation, statistics)


def _not_by_pairs(reason: str, statistics: Statistics) -> Unknown:
    return Unknown(f"no error with threads counted up to {statistics.k}, but pairs of threads do not prove it: {reason}",
                   advice="use --engine explicit", statistics=statistics)


# --------------------------------------------------------------------------------------------------- ModelCheck
class ModelCheck:
    """One breadth-first search of (T, k)."""

    def __init__(self, states: LocalStates, k: int, options: Options) -> None:
        self.states, self.k, self.options = states, k, options
        self.seen: dict[tuple[int, Context], tuple[tuple[int, Context], Step] | None] = {}
        self.endless = {key for key, _, n in states.starts if n is None}
        context: Context = ()
        for key, _, n in states.starts:
            context = with_count(context, key, OMEGA if n is None or n > k else n)
        self.queue = [(states.start_globals, context)]
        self.seen[self.queue[0]] = None
        self.at = 0
        self.full = False

    def run(self, most: int) -> tuple[list[Step], tuple[Key, ...], Found] | None:
        """The steps of a shortest error, the local states that show it, and how; None if there is none among `most` states.

        `full` tells whether there are more. The search goes on where it stopped when it is run again.
        """
        self.full = False
        while self.at < len(self.queue):
            if len(self.queue) > most:
                self.full = True
                return None
            if self.at % 256 == 0:
                self.options.check_time()
            node = self.queue[self.at]
            self.at += 1
            shown = self._error(node)
            if shown is not None:
                return self._path(node), *shown
            for step, after in self._successors(node):
                if after not in self.seen:
                    self.seen[after] = (node, step)
                    self.queue.append(after)
        return None

    def _successors(self, node: tuple[int, Context]) -> Iterator[tuple[Step, tuple[int, Context]]]:
        g, context = node
        holders = [key for key, _ in context if self.states.atomic(key)]
        for key in holders or [key for key, _ in context]:
            for taken, g2, target in self.states.moves(key, g):
                if not taken.guards or self._allows(taken.guards, context, key):
                    for after in move(context, key, target, self.k, key in self.endless):
                        yield (key, taken, target), (g2, after)

    def _allows(self, guards: tuple[AllAt, ...], context: Context, mover: Key) -> bool:
        others = [key for key, n in context if key != mover or n > 1]
        return all(self.states.allows(guards, key) for key in others)

    def _error(self, node: tuple[int, Context]) -> tuple[tuple[Key, ...], Found] | None:
        g, context = node
        if self.states.broken(g):
            return (), Found(0)
        for key, n in context:
            if self.states.is_error(key):
                return (key,), Found(0)
            for other, m in context:
                if key < other or (key == other and min(n, m) > 1):
                    clash = self.states.clash(g, key, other)
                    if clash is not None:
                        return (key, other), clash
        return None

    def _path(self, node: tuple[int, Context]) -> list[Step]:
        steps: list[Step] = []
        back = self.seen[node]
        while back is not None:
            steps.append(back[1])
            back = self.seen[back[0]]
        return steps[::-1]


# --------------------------------------------------------------------------------------------------- genuine or not
def genuine(states: LocalStates, steps: Sequence[Step], who: tuple[Key, ...], found: Found) -> Trace | None:
    """The steps taken by threads with names, as a trace that the kernel replays; None if there are too few threads for it."""
    crew: list[int] = []
    at: list[Key] = []

    def born(template: int, key: Key) -> int:
        crew.append(template)
        at.append(key)
        return len(at) - 1

    for key, template, n in states.starts:
        for _ in range(n or 0):
            born(template, key)

    def thread_at(key: Key, but: tuple[int, ...] = ()) -> int | None:
        for i, here in enumerate(at):
            if here == key and i not in but:
                return i
        endless = any(key == start and n is None for start, _, n in states.starts)
        return born(key[0], key) if endless else None

    path: list[tuple[int, Move]] = []
    for source, taken, target in steps:
        thread = thread_at(source)
        if thread is None:
            return None
        at[thread] = target
        path.append((thread, taken))
    cast: tuple[int, ...] = ()
    for key in who:
        thread = thread_at(key, cast)
        if thread is None:
            return None
        cast = (*cast, thread)
    order = sorted(range(len(crew)), key=lambda i: (crew[i], i))
    place = {thread: position for position, thread in enumerate(order)}
    accesses = tuple((place[cast[position]], edge, access) for position, edge, access in found.accesses)
    trace = build_trace(states.program, states.machine, states.question, tuple(crew[i] for i in order),
                        [(place[thread], taken) for thread, taken in path], range(len(crew)), Found(0, accesses))
    return trace if isinstance(replay(states.program, trace), Replayed) else None
