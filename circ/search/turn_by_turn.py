"""Runs of programs with handlers and tasks, turn by turn: what a protocol comes to after many bytes in the right order.

A turn is what one thread does from where it is idle until it is again, with nobody in between. The search keeps the states
after turns that did something new (took an edge that no turn had taken, gave a tested variable a value that it never had) and
goes on from any of them, as fuzzers do with a corpus of snapshots; so a frame of ten bytes is ten small discoveries, not one
large one. Where a branch is never taken although turns come to it again and again (a checksum must match), the solver is
asked for values with which the last turns end there (`other_way`). The corpus is for all questions about a program; a question
about x goes on from states just before accesses to x, with that thread held back, as `random_runs` do.

Deterministic, like all searches; effort is counted in steps, a question to the solver as so many of them. It proves nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from random import Random

from circ.search.directed_run import DirectedRun
from circ.search.other_way import Action, Steps, Ways, is_open, values_for
from circ.search.run_knowledge import RunKnowledge
from circ.semantics.evaluation import Value, Where
from circ.semantics.interpreter import LocalState, Move
from circ.verdict import Observer, Options, Question, RaceOn, Refuted, Statistics, Unknown, Verdict
from frontend.program import AllAt, Assume, Binary, Const, Edge, Expr, Program, Role, Scalar, Var, children, op_reads, primitive
from frontend.records import dataclass

LONGEST_TURN = 2_000
"""Steps of one turn; a longer one is dropped."""
MOST_VALUES = 24
"""Values of one tested variable that are something new."""
FRESH, LATEST = 0.5, 8
"""How often the next turn goes on from one of the last states that were kept, rather than from one seldom gone on from."""
IN_A_ROW = 4
"""Turns one after the other before another state is chosen."""
PATIENT, TIMES, BACK = 8, 5, (1, 3, 6, 12, 24)
"""How often a branch is come to before the solver is asked for it; for how many states, and how many turns back, each."""
OFTEN = 40
"""States for which a branch is asked for that was found so: frames with a checksum that matches differ."""
LONGEST_FORMULA = 5_000
QUESTION, LINE = 500, 8
"""So many steps a question to the solver counts for, and each step in it."""
STATES, DUELS, DUEL = 3, 4, 500
"""States before each access from which runs with the thread held back there begin; how many, and their steps."""
STAY = 0.5
"""How often a thread stays at an access while another one comes to its own."""
SHARE = 3
"""One of so many steps of a question about a variable are for these runs, the others for what all questions share."""
CUSTOMARY, TELLING = 0.25, 0.6
"""How often an open value is chosen as in other random runs; else, how often one that the handler tests for."""
ENOUGH = 1_500_000
"""After so many steps for one program the corpus is as it is."""
PLAIN = 8
"""Numbers of runs that are multiples of this have two threads of each template of any number."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state in which nobody is in the middle of a turn, and the turns that led there."""

    before: Snapshot | None
    globals: tuple[Value, ...]
    threads: tuple[LocalState, ...]
    steps: tuple[tuple[int, Move], ...] = ()

    def path(self) -> list[tuple[int, Move]]:
        """All steps from the start of the program."""
        parts = []
        at: Snapshot | None = self
        while at is not None:
            parts.append(at.steps)
            at = at.before
        return [step for part in reversed(parts) for step in part]


@dataclass(frozen=True, slots=True)
class Place:
    """A state within a turn of a thread: after these steps of it."""

    after: Snapshot
    thread: int
    steps: tuple[tuple[int, Move], ...]


@dataclass(slots=True)
class Corpus:
    """What is known of one program."""

    shared: RunKnowledge
    crew: tuple[int, ...]
    constants: Sequence[tuple[int, ...]]
    """Of each template what its tests compare with."""
    ways: Ways
    kept: list[Snapshot] = field(default_factory=list)
    picked: list[int] = field(default_factory=list)
    edges: dict[tuple[int, int], list[Place]] = field(default_factory=dict)
    """By template and edge some places from where it is taken next."""
    values: dict[int, set[int]] = field(default_factory=dict)
    """By slot of the tested globals the values that they had."""
    visits: Counter[tuple[int, int]] = field(default_factory=Counter)
    """How often turns came to an edge that none has taken."""
    asked: Counter[tuple[int, int]] = field(default_factory=Counter)
    hard: set[tuple[int, int]] = field(default_factory=set)
    """Edges that only the solver's values led to: asked for again, as other states come to them."""
    number: int = 0
    effort: int = 0
    """What exploring has taken."""


class _TurnRun(DirectedRun):
    """A run whose open values are often constants of the handler that reads them, or any number at all."""

    def __init__(self, shared: RunKnowledge, number: int, constants: Sequence[tuple[int, ...]]) -> None:
        super().__init__(shared, frozenset(), number)
        self.constants = constants

    def _value(self, template: int, e: int, t: Scalar, own: tuple[Value, ...], here: bool) -> int:
        if here or self.random.random() < CUSTOMARY:
            return super()._value(template, e, t, own, here)
        return t.wrap(self.random.choice(self.constants[template]) if self.constants[template] and self.random.random() < TELLING
                      else self.random.getrandbits(t.width))


class TurnByTurn:
    """Answers the questions of one program in turn."""

    def __init__(self) -> None:
        self.corpus: Corpus | None = None

    def __call__(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        if not isinstance(question, RaceOn):
            return Unknown("random runs look for races only", ("chase",))
        if self.corpus is None or self.corpus.shared.program is not program:
            self.corpus = _begun(program)
        search = _Search(self.corpus, options, observer)
        x, effort = question.variable, options.max_states
        tried: Counter[tuple[int, int]] = Counter()
        while effort > 0 and x not in self.corpus.shared.found:
            effort -= search.duels(x, tried, effort // SHARE)
            if x in self.corpus.shared.found or self.corpus.effort > ENOUGH:
                break
            effort -= search.explore(min(effort, options.max_states // SHARE))
        if x in self.corpus.shared.found:
            return Refuted(self.corpus.shared.found[x], Statistics(states=len(self.corpus.shared.found[x].steps)))
        return Unknown("no race in random runs, turn by turn", ("chase",), "use another engine for a proof")


def _begun(program: Program) -> Corpus:
    shared = RunKnowledge(program)
    run = DirectedRun(shared, frozenset(), 0)
    constants = [tuple(n for e in t.cfa.edges for p in primitive(e.op) if isinstance(p, Assume) for n in _equals(p.cond))
                 for t in program.templates]
    corpus = Corpus(shared, tuple(run.crew), constants, Ways(shared.machine))
    tested = {v.name for t in program.templates for e in t.cfa.edges for p in primitive(e.op) if isinstance(p, Assume)
              for v in op_reads(p) if isinstance(v, Var)}
    corpus.values = {n: set() for n, v in enumerate(program.globals) if v.name in tested and not v.is_array}
    corpus.kept.append(Snapshot(None, tuple(run.globals), tuple(run.threads)))
    corpus.picked.append(0)
    return corpus


def _resting(program: Program) -> list[frozenset[int]]:
    """Of each template the locations where tasks want it to be when they start, such as `main` in the scheduler."""
    found: dict[str, frozenset[int]] = {}
    for t in program.templates:
        if t.role is Role.TASK:
            for p in (p for e in t.cfa.edges if e.source == t.cfa.start for p in primitive(e.op)):
                if isinstance(p, AllAt):
                    found[p.template] = found.get(p.template, p.locations) & p.locations
    return [found.get(t.name, frozenset()) if t.role not in (Role.HANDLER, Role.TASK) else frozenset() for t in program.templates]


def _equals(e: Expr) -> Iterator[int]:
    """What an expression tests for equality with, but 0: each as often as it does."""
    if isinstance(e, Binary) and e.op in ("==", "!="):
        yield from (side.value for side in (e.left, e.right) if isinstance(side, Const) and side.value)
    for part in children(e):
        yield from _equals(part)


def _tests(edge: Edge) -> bool:
    return any(isinstance(p, Assume) for p in primitive(edge.op))


class _Search:
    """The corpus at work, for one question."""

    def __init__(self, corpus: Corpus, options: Options, observer: Observer) -> None:
        self.corpus, self.shared, self.program = corpus, corpus.shared, corpus.shared.program
        self.options, self.observer = options, observer
        self.machine, self.crew = corpus.shared.machine, corpus.crew
        self.resting = _resting(self.program)
        self.reactive = [t.role in (Role.HANDLER, Role.TASK) for t in self.program.templates]

    # ----------------------------------------------------------------------------------------------- what all questions share
    def explore(self, effort: int) -> int:
        """Takes turns until the effort is spent; how much it was."""
        corpus, left = self.corpus, effort
        corpus.number += 1
        run = _TurnRun(self.shared, PLAIN * corpus.number, corpus.constants)
        while left > 0:
            self.options.check_time()
            at = self._choose(run.random)
            snapshot = corpus.kept[at]
            corpus.picked[at] += 1
            for _ in range(IN_A_ROW):
                left -= 10
                turn = self._turn(run, snapshot)
                if turn is None:
                    break
                left -= len(turn.steps)
                missed = list(self._missed(turn, PATIENT))
                if self._is_new(turn):
                    self._keep(turn)
                left -= self._ask(run, missed, left)
                snapshot = turn
        self.observer("turns", {"states": len(corpus.kept), "edges": len(corpus.edges)})
        corpus.effort += effort - left
        return effort - left

    def _choose(self, random: Random) -> int:
        picked = self.corpus.picked
        if random.random() < FRESH:
            return random.randrange(max(0, len(picked) - LATEST), len(picked))
        return min(range(len(picked)), key=lambda n: (picked[n], -n))

    def _turn(self, run: DirectedRun, begin: Snapshot) -> Snapshot | None:
        """One turn of somebody who can take one; None if it does not come to an end."""
        run.resume(begin.globals, begin.threads, ())
        crew = list(range(len(run.crew)))
        run.random.shuffle(crew)
        first = next((i for i in crew if self._fits(run, i) and run.step(i)), None)
        return None if first is None else self._ended(run, first, begin)

    def _fits(self, run: DirectedRun, i: int) -> bool:
        """One of the idle threads of a template is as good as another."""
        return not self.reactive[run.crew[i]] or run.crew[:i].count(run.crew[i]) == 0

    def _ended(self, run: DirectedRun, i: int, begin: Snapshot) -> Snapshot | None:
        """The thread goes on to where it is idle, or where it has been in this turn if it is none that is."""
        template = run.crew[i]
        seen = {begin.threads[i][0]}
        for _ in range(LONGEST_TURN):
            location = run.threads[i][0]
            if location not in run.atomic[template]:
                rests = self.resting[template] or seen
                if run.is_idle(i) or (not self.reactive[template] and run.path and location in rests):
                    return Snapshot(begin, tuple(run.globals), tuple(run.threads), tuple(run.path))
                seen.add(location)
            if not run.step(i):
                break
        waiting = not self.reactive[template] and run.threads[i][0] not in run.atomic[template]
        return Snapshot(begin, tuple(run.globals), tuple(run.threads), tuple(run.path)) if waiting else None

    def _is_new(self, turn: Snapshot) -> bool:
        """Whether the turn took an edge that none had taken, or gave a tested variable a value that it never had."""
        corpus, begin, new = self.corpus, turn.before, False
        assert begin is not None
        for n, (i, move) in enumerate(turn.steps):
            places = corpus.edges.setdefault((self.crew[i], move.edge), [])
            new = new or not places
            if len(places) < STATES and all(p.after is not begin for p in places):
                places.append(Place(begin, i, turn.steps[:n]))
        for slot, had in corpus.values.items():
            value = turn.globals[slot]
            if isinstance(value, int) and value not in had and len(had) < MOST_VALUES:
                had.add(value)
                new = True
        return new

    def _keep(self, turn: Snapshot) -> None:
        self.corpus.kept.append(turn)
        self.corpus.picked.append(0)

    # ----------------------------------------------------------------------------------------------- branches never taken
    def _ask(self, run: DirectedRun, missed: list[tuple[tuple[int, int], Place]], most: int) -> int:
        """Asks the solver for these branches, and at once for those beside the turns that its values lead to."""
        effort = 0
        while missed and effort < most:
            spent, turn = self._other_way(run, *missed.pop())
            effort += spent
            if turn is not None:
                missed += self._missed(turn, 1)
        return effort

    def _missed(self, turn: Snapshot, patience: int) -> Iterator[tuple[tuple[int, int], Place]]:
        """The branches beside those that the turn took which no turn has taken yet, if it is time to ask for them."""
        corpus, begin = self.corpus, turn.before
        assert begin is not None
        for n, (i, move) in enumerate(turn.steps):
            template = self.crew[i]
            source = self.machine.edge(template, move.edge).source
            if len(self.machine.leaving(template, source)) < 2:
                continue
            for e in self.shared.ways(template, source):
                key = template, e
                most = OFTEN if key in corpus.hard else 0 if key in corpus.edges else TIMES
                if e != move.edge and most and _tests(self.machine.edge(template, e)):
                    corpus.visits[key] += 1
                    if corpus.visits[key] >= patience * (corpus.asked[key] + 1) and corpus.asked[key] < most:
                        corpus.asked[key] += 1
                        yield key, Place(begin, i, turn.steps[:n])

    def _other_way(self, run: DirectedRun, key: tuple[int, int], place: Place) -> tuple[int, Snapshot | None]:
        """Asks for values with which the steps end at another edge than they did: the effort, and the turn that begins so."""
        effort, steps, begin, turns = 0, place.steps, place.after, 1
        for back in BACK:
            while turns < back and begin.before is not None:
                begin, steps, turns = begin.before, (*begin.steps, *steps), turns + 1
            if turns < back or len(steps) > LONGEST_FORMULA:
                break
            self.options.check_time()
            taken = (*((i, move.edge) for i, move in steps), (place.thread, key[1]))
            asked = Steps(tuple(run.crew), begin.globals, begin.threads, tuple(self.corpus.ways.actions(tuple(run.crew), taken)))
            effort += len(taken)
            if is_open(self.machine, asked):
                effort += QUESTION + LINE * len(taken)
                values = values_for(self.machine, asked)
                if values is not None and self._retake(run, begin, asked.actions, values):
                    turn = self._ended(run, place.thread, begin)
                    if turn is not None and (self._is_new(turn) or back > 1):
                        self._keep(turn)
                        self.corpus.hard |= {key} if back > 1 else set()
                    return effort, turn
        return effort, None

    def _retake(self, run: DirectedRun, begin: Snapshot, actions: tuple[Action, ...], values: list[dict[Where, int]]) -> bool:
        """Takes the actions with these values, from a state; whether all of them pass."""
        run.resume(begin.globals, begin.threads, ())
        for action, known in zip(actions, values, strict=True):
            first = next((w for w in action.ways if run.follow(action.thread, w[0], known)), None)
            if first is None or not all(run.follow(action.thread, e, {}) for e in first[1:]):
                return False
        return True

    # ----------------------------------------------------------------------------------------------- one variable
    def duels(self, x: str, tried: Counter[tuple[int, int]], effort: int) -> int:
        """Runs from states just before accesses to x, with the thread held back; how much effort they took."""
        left = effort
        for key, places in list(self.corpus.edges.items()):
            if not any(a.variable == x for a in self.machine.edge(*key).accesses):
                continue
            for place in places[tried[key]:]:
                if left <= 0 or x in self.shared.found:
                    return effort - left
                tried[key] += 1
                for n in range(DUELS):
                    self.options.check_time()
                    left -= 10 + self._duel(x, place, n)
        return effort - left

    def _duel(self, x: str, place: Place, number: int) -> int:
        """A run that begins with the thread held back at its access, or comes to it while another one is; its steps."""
        run = DirectedRun(self.shared, frozenset((x,)), PLAIN * number)
        run.resume(place.after.globals, place.after.threads, place.after.path())
        spent = 0
        if number % 2:
            others = sorted(i for i in range(len(run.crew)) if i != place.thread and run.crew[i] in run.concerned)
            other = run.random.choice(others) if others else place.thread
            while others and spent < DUEL and not (run.is_near(other) and run.random.random() < STAY) and run.step(other):
                spent += 1
        if not all(run.follow(i, move.edge, dict(move.decided)) for i, move in place.steps):
            return spent
        spent += len(place.steps)
        if run.shows(place.thread):
            return spent
        run.resume(run.globals, run.threads, run.path, place.thread)
        return spent + run.go(DUEL)
