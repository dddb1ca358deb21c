"""Thread-modular model checking of recursive programs (Flanagan, Qadeer, SPIN 2003, section 3): P, Q and G with frames.

P(t, g1, l1, g2, l2): once thread t is in a function with entry state (g1, l1), it can be in (g2, l2) with the same stack;
Q(t, g1, l1, f, g2, l2): the same with frame f pushed. The rules, for a thread t and another one e:

    INIT   P(t, g0, l0(t), g0, l0(t))
    STEP1  P(t, g1, l1, g2, l2), T(t, g2, l2, g3, l3)        =>  P(t, g1, l1, g3, l3), G(t, g2, g3)
    ENV1   P(t, g1, l1, g2, l2), G(e, g2, g3)                =>  P(t, g1, l1, g3, l2)
    PUSH   P(t, g1, l1, g2, l2), T+(t, g2, l2, l3, f)        =>  Q(t, g1, l1, f, g2, l3), P(t, g2, l3, g2, l3)
    STEP2  Q(t, g1, l1, f, g2, l2), P(t, g2, l2, g3, l3)     =>  Q(t, g1, l1, f, g3, l3)
    POP    Q(t, g1, l1, f, g2, l2), T-(t, g2, l2, f, l3)     =>  P(t, g1, l1, g2, l3)

(INIT and PUSH as soundness demands: the paper's PUSH prints the fact about the pushed frame's state unclearly; its ENV2 is
implied by ENV1 and STEP2.) P is a may-summary. A frame is the caller's local store and call site, and its entry; Q is kept
as the callers of each entry state, so STEP2 and POP happen when a function's exit is reached. Recursion of any depth ends,
because there are finitely many entry states; safe or unknown, never a race. Errors are products of local conditions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from circ.finite.system import (
    FATAL,
    FiniteCell,
    FiniteSystem,
    GlobalStore,
    LocalStore,
    NotFiniteState,
    OutOfDomain,
    Stepper,
    build,
    evaluate,
)
from circ.finite.words import DEEP, in_words
from circ.verdict import (
    Assertions,
    Certificate,
    Engine,
    Observer,
    Options,
    ProofKind,
    Question,
    Safe,
    Statistics,
    Unknown,
    Verdict,
)
from frontend.program import CallSite, Havoc, Procedures, Program, primitive
from frontend.records import dataclass

Activation: TypeAlias = tuple[int, LocalStore]
"""A function (its number) and the local store in it."""
SummaryState: TypeAlias = tuple[GlobalStore, Activation]


@dataclass(frozen=True, slots=True)
class StackThreads:
    """Identical threads: the function they start in, the number they know (if it has a parameter `self`), how many."""

    function: int
    number: int | None
    count: int


def engine() -> Engine:
    return check


def check(program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
    """Safe if no error state is in the join of the threads' summaries. The program comes with its procedures."""
    source = program.procedures
    if source is None:
        return Unknown("the functions of the program are not kept apart", advice="load it with LoadOptions(stack=True)")
    if not isinstance(question, Assertions) and all(v.name != question.variable for v in source.program.globals):
        return Unknown(f"'{question.variable}' is not one of the variables that engines with a stack know")
    try:
        result = Pushdown(source, question, options).run()
        clash = result.clash()
    except (NotFiniteState, OutOfDomain) as error:
        return Unknown(str(error))
    statistics = Statistics(rounds=1, states=result.states)
    observer("pushdown", {"states": result.states})
    if clash is None:
        certificate = Certificate(program.fingerprint(), question, ProofKind.SUMMARIES, result.body())
        return Safe(certificate, (in_words(question, DEEP),), statistics=statistics)
    return Unknown(f"the thread-modular abstraction has an error state: {clash}", ("pushdown",),
                   "let a lock hold its owner's number", statistics=statistics)


class Pushdown:
    """The least P, Q and G. `reached[k][entry]` are the states that P relates to an entry state, for threads of kind k."""

    def __init__(self, source: Procedures, question: Question, options: Options) -> None:
        self.source = source
        self.options = options
        self.names = [t.name for t in source.program.templates]
        self.calls = [{source.program.templates[i].cfa.edges[c.edge].source: c for c in source.calls[name]}
                      for i, name in enumerate(self.names)]
        self.system = _without_calls(source, build(source.program, question, symmetry=False, at_once=False))
        self.stepper = Stepper(self.system)
        self.kinds = list(self._kinds())
        self.reached: list[dict[SummaryState, dict[SummaryState, None]]] = [{} for _ in self.kinds]
        self.callers: list[dict[SummaryState, dict[tuple[SummaryState, Activation, int], None]]] = [{} for _ in self.kinds]
        self.places: list[dict[GlobalStore, dict[tuple[SummaryState, Activation], None]]] = [{} for _ in self.kinds]
        self.steps: list[dict[GlobalStore, dict[GlobalStore, None]]] = [{} for _ in self.kinds]
        self.states = 0
        self._begun: list[dict[SummaryState, None]] = [{} for _ in self.kinds]
        self._todo: deque[tuple[int, SummaryState, SummaryState]] = deque()

    def _kinds(self) -> Iterator[StackThreads]:
        for name, count in self.source.threads:
            i = self.names.index(name)
            if self.source.params[name]:
                yield from (StackThreads(i, n, 1) for n in range(count))
            else:
                yield StackThreads(i, None, count)

    # ----------------------------------------------------------------------------------------------- rules
    def run(self) -> Pushdown:
        stores, _ = self.stepper.starts()
        for k, kind in enumerate(self.kinds):
            known = {p.name: kind.number for p in self.source.params[self.names[kind.function]] if kind.number is not None}
            local = self.stepper.entered(kind.function, known)
            for g in stores:
                begin = (g, (kind.function, local))
                self._begun[k][begin] = None
                self.stepper.run_alone(kind.function, g, local)
                self._add(k, begin, begin)
        ticks = 0
        while self._todo:
            ticks += 1
            if ticks % 512 == 0:
                self.options.check_time()
            self._expand(*self._todo.popleft())
        return self

    def _add(self, k: int, entry: SummaryState, state: SummaryState) -> None:
        states = self.reached[k].setdefault(entry, {})
        if state in states:
            return
        states[state] = None
        self.places[k].setdefault(state[0], {})[entry, state[1]] = None
        self.states += 1
        if self.states > self.options.max_states:
            raise OutOfDomain(f"more than {self.options.max_states} summaries")
        self._todo.append((k, entry, state))

    def _expand(self, k: int, entry: SummaryState, state: SummaryState) -> None:
        g, (i, local) = state
        for e in range(len(self.kinds)):
            if e != k or self.kinds[e].count > 1:
                for g2 in list(self.steps[e].get(g, ())):
                    self._env(k, entry, state, g2)
        for _, _, g2, local2 in self.stepper.successors(i, g, local):
            self._add(k, entry, (g2, (i, local2)))
            self._guarantee(k, g, g2)
        site = self.calls[i].get(local[0])
        if site is not None and self.stepper.allowed(i, g, local):
            self._push(k, entry, state, site)
        if local[0] == self.source.returns[self.names[i]][0]:
            for caller in list(self.callers[k].get(entry, ())):
                self._pop(k, caller, state)

    def _env(self, k: int, entry: SummaryState, state: SummaryState, g2: GlobalStore) -> None:
        i, local = state[1]
        if local[0] not in self.system.groups[i].atomic:
            self._add(k, entry, (g2, state[1]))

    def _guarantee(self, k: int, g: GlobalStore, g2: GlobalStore) -> None:
        table = self.steps[k].setdefault(g, {})
        if (g2 == g and not self._wide(g)) or g2 in table:
            return
        table[g2] = None
        for e in range(len(self.kinds)):
            if e != k or self.kinds[k].count > 1:
                for entry, place in list(self.places[e].get(g, ())):
                    self._env(e, entry, (g, place), g2)

    def _wide(self, g: GlobalStore) -> bool:
        """Whether a global's value stands for several: a step may change it and lead to the same store."""
        spans = (c.spans[c.values.index(v)] for c, v in zip(self.system.globals, g, strict=True) if c.spans is not None)
        return any(low < high for low, high in spans)

    def _push(self, k: int, entry: SummaryState, state: SummaryState, site: CallSite) -> None:
        g, (i, local) = state
        callee = self.names.index(site.callee)
        read = self.stepper.reader(i, g, local)
        values = [evaluate(a, read, self.stepper.math) for a in site.args]
        params = (p.name for p in self.source.params[site.callee])
        inner = (g, (callee, self.stepper.entered(callee, dict(zip(params, values, strict=True)))))
        caller = (entry, state[1], site.edge)
        known = self.callers[k].setdefault(inner, {})
        if caller in known:
            return
        known[caller] = None
        self._add(k, inner, inner)
        for after in list(self.reached[k][inner]):
            if after[1][0] == callee and after[1][1][0] == self.source.returns[site.callee][0]:
                self._pop(k, caller, after)

    def _pop(self, k: int, caller: tuple[SummaryState, Activation, int], state: SummaryState) -> None:
        entry, (i, local), number = caller
        site = next(c for c in self.source.calls[self.names[i]] if c.edge == number)
        result = self.source.returns[site.callee][1]
        target = self.source.program.templates[i].cfa.edges[number].target
        changed = {}
        if site.result is not None and result is not None:
            changed[site.result.name] = self.stepper.reader(state[1][0], state[0], state[1][1])(result.name, None)
        self._add(k, entry, (state[0], (i, self.stepper.resumed(i, target, local, changed))))

    # ----------------------------------------------------------------------------------------------- results
    def clash(self) -> str | None:
        """An error state of the join, in words."""
        conflicts = self.system.conflicts
        for g in dict.fromkeys(g for table in self.places for g in table):
            if self.stepper.bad(g):
                return f"an invariant is false where the globals are {g}"
            marked = []
            for k, table in enumerate(self.places):
                for i, local in dict.fromkeys(place for _, place in table.get(g, ())):
                    marks = self.stepper.marks(i, g, local)
                    if FATAL in marks:
                        return f"a thread is at location {local[0]} of '{self.names[i]}'"
                    if marks:
                        marked.append((k, i, local, marks))
            for n, (k, i, local, marks) in enumerate(marked):
                for e, j, other, others in marked[n:]:
                    both = local[0] in self.system.groups[i].atomic and other[0] in self.system.groups[j].atomic
                    different = k != e or self.kinds[k].count > 1
                    if different and not both and any((a, b) in conflicts for a in marks for b in others):
                        return f"two threads are at '{self.names[i]}':{local[0]} and '{self.names[j]}':{other[0]}"
        return None

    def body(self) -> dict[str, object]:
        """What the kernel checks (docs/certificate.md, kind `summaries`): P and Q as rows, and G."""
        kinds = []
        for k in range(len(self.kinds)):
            numbers = {entry: n for n, entry in enumerate(self.reached[k])}
            rows = {entry: {s: n for n, s in enumerate(states)} for entry, states in self.reached[k].items()}
            entries = []
            for entry, states in self.reached[k].items():
                callers = []
                for outer, place, _ in self.callers[k].get(entry, ()):
                    # The caller is in this place whatever the globals were: at the call they were those of the entry.
                    callers.append([numbers[outer], rows[outer][entry[0], place]])
                entries.append({"function": entry[1][0], "states": [self._row(s) for s in states], "callers": callers})
            steps = [[self._globals(g), self._globals(g2)] for g, table in self.steps[k].items() for g2 in table]
            begun = [n for entry, n in numbers.items() if entry in self._begun[k]]
            kinds.append({"begin": begun, "entries": entries, "steps": steps})
        return {"sections": [sorted(g.atomic) for g in self.system.groups], "kinds": kinds}

    def _row(self, state: SummaryState) -> list[object]:
        g, (i, local) = state
        group = self.system.groups[i]
        alive = group.live[local[0]]
        own = [_shown(c, v) if c.name in alive else None for c, v in zip(group.cells, local[1:], strict=True)]
        return [self._globals(g), local[0], own]

    def _globals(self, g: GlobalStore) -> list[object]:
        """The values of the globals' scalars in order, then whether a thread is at a listed atomic location."""
        found = [_shown(c, v) for c, v in zip(self.system.globals, g, strict=True)]
        return found if self.system.has_atomic else [*found, 0]


def _shown(cell: FiniteCell, value: int) -> object:
    """A value, or the interval that it stands for."""
    if cell.spans is None:
        return value
    low, high = cell.spans[cell.values.index(value)]
    return [low, high]


def _without_calls(source: Procedures, system: FiniteSystem) -> FiniteSystem:
    """The system of plain steps: calls and the reading of results at exits are not steps, and values are found as they come."""
    groups = []
    for group in system.groups:
        name = group.template.name
        pseudo = {c.edge for c in source.calls[name]}
        pseudo |= {n for n, e in enumerate(group.template.cfa.edges) if e.source == source.returns[name][0]}
        chosen = {t.name for e in group.template.cfa.edges for p in primitive(e.op) if isinstance(p, Havoc)
                  for t in p.targets if hasattr(t, "name")}
        cells = tuple(c if c.spans is not None or c.name in chosen else replace(c, open=True) for c in group.cells)
        moves = tuple(m for m in group.moves if not pseudo & set(m.edges))
        groups.append(replace(group, cells=cells, moves=moves))
    free = {v.name for v in source.program.globals if v.range is None}
    shared = tuple(replace(c, open=True) if c.spans is None and c.name in free else c for c in system.globals)
    return replace(system, groups=tuple(groups), globals=shared)
