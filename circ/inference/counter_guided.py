"""Engine `counter-guided`: counter-guided parameterised verification of finite-state threads (Algorithm 6 of the CIRC paper).

A state of the counter abstraction (T, k) is the globals and, for each local state (template, location, locals) that occurs,
how many threads are in it: 0..k, or omega for more. A breadth-first search gives the shortest error; it is genuine if threads
with names can take its steps, else k grows. Departures from the paper: k starts at 1 and omega - 1 is k or omega unless the
threads are truly endless (`circ.abstraction.counters`); genuine is decided by taking the steps, not by m <= k; and `safe` is
only said with a certificate of pairs or triples of local states (`circ.counting`), so what neither can express stays unknown.

The search sees the program weakened to the variables that matter (`circ.views.weaken`): none at first but those that
say which
element is accessed, then those that exclude the errors found without them. Finite-state is what of these stays small when it
is explored. Values that the program leaves open are enumerated when they are read; one of more than 8 bits, or a variable
that takes too many values, ends in `unknown` with its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from circ.abstraction.counters import OMEGA, Context, ContextClass, move, with_count
from circ.abstraction.trace_formulas import Feasible, concrete_trace, decide, same_cell, script
from circ.counting.by_values import by_values
from circ.counting.local_states import LocalStates, NotFinite
from circ.inference.miners import needed_variables
from circ.kernel.replay import Replayed, replay
from circ.search import explicit
from circ.search.reductions import waited_for
from circ.search.trace_building import FoundState
from circ.semantics.interpreter import Move
from circ.verdict import (
    Assertions,
    Engine,
    Observer,
    Options,
    Question,
    RaceOn,
    Refuted,
    Safe,
    Statistics,
    Technique,
    Unknown,
    Verdict,
    silent,
)
from circ.views.on_sections import OnSections
from circ.views.variable_sets import VariableSet, everything, named_in
from circ.views.weaken import index_variables, weaken
from frontend.program import FALSE, AllAt, Assign, Expr, Program, Self, name_of, negate, op_reads, primitive, variables
from frontend.program.connectives import balanced, disjoin
from frontend.records import dataclass

MOST_K = 8
FEW_STATES, MOST_STATES = 2_000, 40_000
"""After the first number of states pairs of threads are tried for a proof, after the second the search ends."""
FEW_THREADS = (2, 3)
"""Errors are looked for with so many of the unbounded threads before any number is counted; most need no more."""

CountedStep = tuple[ContextClass, Move, ContextClass]
"""A thread in one local state takes a move to another."""


def engine() -> Engine:
    return OnSections(answer)


def answer(program: Program, question: Question, options: Options, observer: Observer = silent) -> Verdict:
    """Algorithm 6, on more and more of the program's variables."""
    refusal = _refusal(program)
    if refusal is not None:
        return Unknown(refusal, advice="use --engine omega-circ")
    kept = _first_kept(program, question) if options.on(Technique.SLICE) else everything(program)
    run = _CountingSearch(program, question, options, observer, kept, max(1, options.k or 1))
    while True:
        try:
            outcome = run.attempt()
        except NotFinite as reason:
            outcome = run.sources()
            if outcome | run.kept == run.kept:
                return Unknown(f"not finite-state: {reason}", advice="use --engine omega-circ", statistics=run.statistics())
        if not isinstance(outcome, VariableSet):
            return outcome
        run.kept |= outcome


def _first_kept(program: Program, question: Question) -> VariableSet:
    """The variables without which it cannot be said whether a state is an error."""
    kept = VariableSet()
    if isinstance(question, Assertions):
        return VariableSet(frozenset(name for i in program.invariants for name in variables(i.cond)))
    for t in program.templates:
        index = frozenset(name for e in t.cfa.edges for a in e.accesses if a.variable == question.variable
                          for name in index_variables(a.lvalue))
        kept |= named_in(program, t.name, index)
    return kept


@dataclass(slots=True)
class _CountingSearch:
    """One question on its way: which variables are kept, up to what threads are counted, what was spent."""

    program: Program
    question: Question
    options: Options
    observer: Observer
    kept: VariableSet
    k: int
    explored: int = 0

    def statistics(self) -> Statistics:
        return Statistics(k=self.k, states=self.explored)

    def attempt(self) -> Verdict | VariableSet:
        """A verdict, or the variables that exclude an error which the present ones do not."""
        variable = self.question.variable if isinstance(self.question, RaceOn) else None
        states = LocalStates(weaken(self.program, self.kept, variable), self.question, self.options)
        for crew in (c for n in FEW_THREADS for c in explicit.crews(self.program, n)):
            search = ModelCheck(states, len(crew), self.options, crew)
            error = search.run(FEW_STATES * len(crew))
            self.explored += len(search.seen)
            outcome = None if error is None else self.genuine(states, *error)
            if outcome is not None:
                return outcome
        pairs: Verdict | None = None
        for k in range(self.k, MOST_K + 1):
            self.k = k
            search = ModelCheck(states, k, self.options)
            error = search.run(FEW_STATES)
            if search.full:
                pairs = pairs or self.proved(states)
                if isinstance(pairs, Safe):
                    return pairs
                error = search.run(MOST_STATES)
            self.explored += len(search.seen)
            self.observer("counter-guided", {"k": k, "states": len(search.seen)})
            if search.full:
                if states.total is not None:
                    return self.counted_out()
                return Unknown(f"more than {MOST_STATES} states with threads counted up to {k}; {states.largest()}",
                               advice="use --engine omega-circ", statistics=self.statistics())
            if error is None:
                proof = pairs or self.proved(states)
                return proof if isinstance(proof, Safe) or states.total is None else self.counted_out()
            outcome = self.genuine(states, *error)
            if outcome is not None:
                return outcome
        return Unknown(f"counters up to {MOST_K} do not tell a possible error from a real one", advice="use --engine explicit",
                       statistics=self.statistics())

    def sources(self) -> VariableSet:
        """What is assigned to kept variables: not knowing it may be what makes them take too many values."""
        found = VariableSet()
        for t in self.program.templates:
            here = self.kept.of(t.name)
            used = {name_of(v) for e in t.cfa.edges for p in primitive(e.op)
                    if isinstance(p, Assign) and name_of(p.target) in here for v in op_reads(p)}
            found |= named_in(self.program, t.name, frozenset(used))
        return found

    def proved(self, states: LocalStates) -> Verdict:
        """A certificate that there is no error, by pairs of threads or else by triples, or the reason why there is none."""
        found = by_values(self.program, self.question, states, self.options)
        if isinstance(found, Safe):
            return replace(found, statistics=self.statistics())
        return Unknown(f"no error with threads counted up to {self.k}, but {found}", advice="use --engine explicit",
                       statistics=self.statistics())

    def counted_out(self) -> Verdict:
        """All threads counted exactly: k is their number, and every one has a name."""
        return explicit.answer(self.program, self.question, self.options, self.observer)

    def genuine(self, states: LocalStates, steps: Sequence[CountedStep], who: tuple[ContextClass, ...],
                found: FoundState) -> Refuted | VariableSet | None:
        """The steps taken by threads with names: a run of the program, or what excludes it there.

        None if there are too few threads for it, or nothing new excludes it.
        """
        named = with_names(states, steps, who, found)
        if named is None:
            return None
        crew, path, accesses = named
        threads = [self.program.templates[t] for t in crew]
        cell = same_cell(threads, accesses) if len(accesses) == 2 else None
        finals = self.broken() if not who else () if cell is None else (cell,)
        whole = script(self.program, threads, ((t, threads[t].cfa.edges[edge].op) for t, edge in path), finals)
        outcome = decide(whole)
        if isinstance(outcome, Feasible):
            trace = concrete_trace(self.program, self.question, threads, path, accesses, outcome)
            return Refuted(trace, self.statistics()) if isinstance(replay(self.program, trace), Replayed) else None
        needed = VariableSet()
        for template, name in needed_variables(whole, outcome):
            needed |= VariableSet(frozenset({name})) if template is None else VariableSet(locals=frozenset({(template, name)}))
        return needed if needed | self.kept != self.kept else None

    def broken(self) -> tuple[Expr, ...]:
        """Some invariant is false."""
        return (balanced(disjoin, FALSE, [negate(i.cond) for i in self.program.invariants]),)


def _refusal(program: Program) -> str | None:
    """Why the threads are not copies of finitely many finite ones, if that can be seen at once."""
    for t in program.templates:
        if t.count is None and any(isinstance(v.start, Self) for v in t.locals):
            return f"not finite-state: any number of threads of {t.name}, each with a number of its own"
        if t.count is None and t.name in waited_for(program):
            return f"any number of threads of {t.name} are waited for"
    return None


# --------------------------------------------------------------------------------------------------- ModelCheck
class ModelCheck:
    """One breadth-first search of (T, k)."""

    def __init__(self, states: LocalStates, k: int, options: Options, crew: Sequence[int] | None = None) -> None:
        """`crew`: the templates of the threads, if only so many are looked at."""
        self.states, self.k, self.options = states, k, options
        self.seen: dict[tuple[int, Context], tuple[tuple[int, Context], CountedStep] | None] = {}
        starts = [(key, crew.count(t) if n is None and crew is not None else n) for key, t, n in states.starts]
        self.endless = {key for key, n in starts if n is None}
        context: Context = ()
        for key, n in starts:
            context = with_count(context, key, OMEGA if n is None or n > k else n)
        self.queue = [(states.start_globals, context)]
        self.seen[self.queue[0]] = None
        self.at = 0
        self.full = False

    def run(self, most: int) -> tuple[list[CountedStep], tuple[ContextClass, ...], FoundState] | None:
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

    def _successors(self, node: tuple[int, Context]) -> Iterator[tuple[CountedStep, tuple[int, Context]]]:
        g, context = node
        holders = [key for key, _ in context if self.states.atomic(key)]
        for key in holders or [key for key, _ in context]:
            for taken, g2, target in self.states.moves(key, g):
                if not taken.guards or self._allows(taken.guards, context, key):
                    for after in move(context, key, target, self.k, key in self.endless):
                        yield (key, taken, target), (g2, after)

    def _allows(self, guards: tuple[AllAt, ...], context: Context, mover: ContextClass) -> bool:
        others = [key for key, n in context if key != mover or n > 1]
        return all(self.states.allows(guards, key) for key in others)

    def _error(self, node: tuple[int, Context]) -> tuple[tuple[ContextClass, ...], FoundState] | None:
        g, context = node
        if self.states.broken(g):
            return (), FoundState(0)
        for key, n in context:
            if self.states.is_error(key):
                return (key,), FoundState(0)
            for other, m in context:
                if key < other or (key == other and min(n, m) > 1):
                    clash = self.states.clash(g, key, other)
                    if clash is not None:
                        return (key, other), clash
        return None

    def _path(self, node: tuple[int, Context]) -> list[CountedStep]:
        steps: list[CountedStep] = []
        back = self.seen[node]
        while back is not None:
            steps.append(back[1])
            back = self.seen[back[0]]
        return steps[::-1]


# --------------------------------------------------------------------------------------------------- genuine or not
def with_names(
    states: LocalStates, steps: Sequence[CountedStep], who: tuple[ContextClass, ...], found: FoundState
) -> tuple[tuple[int, ...], list[tuple[int, int]], tuple[tuple[int, int, int], ...]] | None:
    """The steps taken by threads with names: templates, (thread, edge) in turn, accesses; None if there are too few threads."""
    crew: list[int] = []
    at: list[ContextClass] = []

    def born(template: int, key: ContextClass) -> int:
        crew.append(template)
        at.append(key)
        return len(at) - 1

    for key, template, n in states.starts:
        for _ in range(n or 0):
            born(template, key)

    def thread_at(key: ContextClass, but: tuple[int, ...] = ()) -> int | None:
        for i, here in enumerate(at):
            if here == key and i not in but:
                return i
        endless = any(key == start and n is None for start, _, n in states.starts)
        return born(key[0], key) if endless else None

    path: list[tuple[int, int]] = []
    for source, taken, target in steps:
        thread = thread_at(source)
        if thread is None:
            return None
        at[thread] = target
        path.append((thread, taken.edge))
    cast: tuple[int, ...] = ()
    for key in who:
        thread = thread_at(key, cast)
        if thread is None:
            return None
        cast = (*cast, thread)
    order = sorted(range(len(crew)), key=lambda i: (crew[i], i))
    place = {thread: position for position, thread in enumerate(order)}
    accesses = tuple((place[cast[position]], edge, access) for position, edge, access in found.accesses)
    return tuple(crew[i] for i in order), [(place[thread], edge) for thread, edge in path], accesses
