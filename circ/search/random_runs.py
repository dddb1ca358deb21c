"""Engine `chase`: random runs in which threads are held back at their accesses, until another one is at the same cell.

After Sen, "Race directed random testing of concurrent programs" (PLDI 2008). A run needs no memory of what was visited, so
long loops, many threads and large heaps cost no more than the steps they take. The search is for all variables at once: what
a run shows of another variable is kept for the question about it. Deterministic: the random numbers are the same in every
run, and effort is counted in steps. It finds races and proves nothing; a run that rests on doubtful steps
(`circ.kernel.doubts`) is dropped and the search goes on.
"""

from __future__ import annotations

from itertools import islice

from circ.search.directed_run import DirectedRun
from circ.search.predicted_races import RecordedRun, candidates
from circ.search.run_knowledge import RunKnowledge
from circ.semantics.conflicts import conflict
from circ.verdict import Observer, Options, Question, RaceOn, Refuted, Statistics, Unknown, Verdict
from frontend.program import AccessKind, Edge, Program

EFFORT = 100_000
"""Steps of all runs about one question, if nobody says otherwise."""
TOGETHER = 12_000
SHORTEST, MIDDLE, LONGEST, LONG = 400, 5_000, 25_000, 4
"""Steps of one run: twice as many after each one that was cut off, with a middle number at most for all but two of so many
runs: one in which the threads that matter ended early goes on for nothing."""
AROUND, MOST_AROUND, MOST_ROUNDS = 4, 500_000, 200
"""The effort for runs about all variables at once, as a multiple of that of one question, at most; and how many runs."""
UNSURE = 4
"""Races on one variable that a run shows and that rest on doubtful steps, until others are looked at."""
LENGTHS = 4
"""With much effort a run may take one of so many parts of it."""
REACTIVE = (4_000, 4_000, 4_000, 8_000)
"""Steps of runs in which handlers fire for ever, in turn."""


class RandomRuns:
    """Answers the questions of one program in turn; keeps the races that it comes across."""

    def __init__(self, together: int = 0) -> None:
        self.together = together
        """The effort to spend on all variables at once when the first question is asked."""
        self.shared: RunKnowledge | None = None
        self.suspects: dict[str, None] = {}
        self.runs: dict[str, int] = {}
        self.length: dict[str, int] = {}
        self.around = self.rounds = 0
        """The effort spent on runs about all variables at once, and their number."""

    def __call__(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        if not isinstance(question, RaceOn):
            return Unknown("random runs look for races only", ("chase",))
        shared = self.shared
        if shared is None or program is not shared.program:
            shared = self.shared = RunKnowledge(program)
            self.suspects, self.runs, self.length = _suspects(program), {}, {}
            self.around = self.rounds = 0
            self._search(shared, frozenset(self.suspects), "", self.together, options, observer)
        x = question.variable
        if x not in shared.found and x in self.suspects:
            effort = EFFORT if options.max_states == Options().max_states else options.max_states
            if not shared.reactive:
                self._look_around(shared, x, min(AROUND * effort, MOST_AROUND), options, observer)
            if x not in shared.found:
                self._search(shared, frozenset((x,)), x, effort, options, observer)
        if x in shared.found:
            return Refuted(shared.found[x], Statistics(states=len(shared.found[x].steps)))
        return Unknown("no race in random runs", ("chase",), "use another engine for a proof")

    def _look_around(self, shared: RunKnowledge, x: str, most: int, options: Options, observer: Observer) -> None:
        """Runs about all variables in which nobody is held back: most races are between accesses that any long run makes.

        They are for all questions together, and go on until the one asked about is found, where the effort of its question allows
        more than there was before.
        """
        while self.around < most and self.rounds < MOST_ROUNDS and x not in shared.found:
            wanted = frozenset(self.suspects.keys() - shared.found.keys())
            options.check_time()
            number, self.rounds = self.rounds, self.rounds + 1
            run = DirectedRun(shared, wanted, number, holding=False)
            length = min(self.length.setdefault("", SHORTEST), most - self.around)
            taken = run.go(length)
            if taken == length:
                self.length[""] = min(2 * length, max(LONGEST, most // LENGTHS))
            self.around += taken + 20 + self._predict(shared, run, wanted, 4 * taken)
            observer("chase", {"run": number, "threads": len(run.crew)})

    def _predict(self, shared: RunKnowledge, run: DirectedRun, wanted: frozenset[str], effort: int) -> int:
        """Looks for races that the run shows without having come to them; the effort that this took."""
        recorded = RecordedRun(shared.machine, shared.effects, tuple(run.crew), run.path)
        for x, events in recorded.events(frozenset(wanted - shared.found.keys())).items():
            for found in islice(candidates(recorded, x, events), UNSURE):
                recorded.effort += len(found.path)
                if shared.keep(x, recorded.crew, found.path, found.one, found.two) or recorded.effort > effort:
                    break
            if recorded.effort > effort:
                break
        return recorded.effort

    def cut_off(self, question: Question) -> bool:
        """Whether runs about the question were as long as they may be, and had not come to an end."""
        return isinstance(question, RaceOn) and self.length.get(question.variable, 0) >= LONGEST

    def _search(self, shared: RunKnowledge, wanted: frozenset[str], key: str, effort: int, options: Options,
                observer: Observer) -> None:
        """Runs until the effort, counted in steps, is spent or one of the wanted variables has a race."""
        if not wanted:
            return
        most = max(LONGEST, effort // LENGTHS)
        while effort > 0 and not wanted & shared.found.keys():
            options.check_time()
            number = self.runs[key] = self.runs.get(key, -1) + 1
            run = DirectedRun(shared, wanted, number)
            longest = self.length.setdefault(key, SHORTEST)
            length = longest if number % LONG in (0, LONG - 1) else min(longest, MIDDLE)
            if run.reactive:
                length = REACTIVE[number % len(REACTIVE)]
            taken = run.go(min(length, effort))
            if taken == longest:
                self.length[key] = min(2 * longest, most)
            effort -= taken + 20
            if not wanted & shared.found.keys() and not run.reactive:
                effort -= self._predict(shared, run, wanted, 2 * taken)
            observer("chase", {"run": number, "threads": len(run.crew)})


def _suspects(program: Program) -> dict[str, None]:
    """Variables with two accesses, by threads that can exist at once, that would be a race."""
    accesses: dict[str, list[tuple[int, Edge, int]]] = {}
    for n, t in enumerate(program.templates):
        for e in t.cfa.edges:
            for k, a in enumerate(e.accesses):
                if a.kind is not AccessKind.SYNC:
                    accesses.setdefault(a.variable, []).append((n, e, k))
    found: dict[str, None] = {}
    for x, places in accesses.items():
        kinds = list({(n, e.protected, e.accesses[k].write, e.accesses[k].kind): (n, e, k) for n, e, k in places}.values())
        if any(_together(program, one[0], two[0])
               and conflict(program.race_model, one[1], one[1].accesses[one[2]], two[1], two[1].accesses[two[2]])
               for i, one in enumerate(kinds) for two in kinds[i:]):
            found[x] = None
    return found


def _together(program: Program, one: int, two: int) -> bool:
    count = program.templates[one].count
    return one != two or count is None or count > 1


def engine() -> RandomRuns:
    return RandomRuns(TOGETHER)
