"""Engine `static`: a proof from locks, flags, creation and joining, without a solver and without refinement.

The cells that may matter (`circ.tracking`) are tracked as sets of values; `circ.pairing` finds all pairs of places at which two
threads can be at once; if no two of them are conflicting accesses to one cell, the pairs are the certificate. What is given up
here is a proof, never a race: the engine answers `safe` or `unknown`. The kernel is asked before `safe` is said, so that a
proof which does not hold as written costs time only.
"""

from __future__ import annotations

from circ.kernel.certificate import check_certificate
from circ.kernel.outcome import Accepted
from circ.pairing import Open, Pairing, ThreadState, TooMuch
from circ.pairproof import certificate, reasons
from circ.regions import Ghosts, Regions
from circ.tracking import Survey, Tracked
from circ.values import State
from circ.verdict import Observer, Options, Question, RaceOn, Safe, Statistics, Unknown, Verdict
from frontend.cfa import Access, Edge, Program, conflict
from frontend.expr import Element, show_lvalue, variables

EFFORT = 60_000
MOST_STATES = (1, 8)


class Attempt:
    """One choice of what to track: regions, and the accesses in them."""

    def __init__(self, program: Program, question: RaceOn, tracked: Tracked, most: int, effort: int) -> None:
        self.program, self.tracked = program, tracked
        self.regions = [Regions(program, n, tracked.globals, tracked.locals[n], Ghosts(), _indices(program, n, question.variable))
                        for n in range(len(program.templates))]
        self.accesses = [self._accesses(r, question.variable) for r in self.regions]
        self._clashes: dict[tuple[int, int, int, int], list[tuple[Access, Access]]] = {}
        self.pairing = Pairing(program, self.regions, most, effort, self.forbidden)

    def _accesses(self, regions: Regions, variable: str) -> dict[int, list[tuple[Edge, Access]]]:
        found: dict[int, list[tuple[Edge, Access]]] = {}
        for e in regions.cfa.edges:
            for a in e.accesses:
                region = regions.of[e.source]
                if a.variable == variable and region is not None:
                    found.setdefault(region, []).append((e, a))
        return found

    def forbidden(self, one: ThreadState, two: ThreadState, g: State) -> bool:
        """Whether the two are at conflicting accesses that may mean one cell."""
        key = (one[0], one[1], two[0], two[1])
        if key not in self._clashes:
            self._clashes[key] = [(a, b) for e, a in self.accesses[one[0]].get(one[1], ())
                                  for f, b in self.accesses[two[0]].get(two[1], ())
                                  if conflict(self.program.race_model, e, a, f, b)]
        return any(self._overlap(a, one, b, two, g) for a, b in self._clashes[key])

    def _overlap(self, a: Access, one: ThreadState, b: Access, two: ThreadState, g: State) -> bool:
        if a.whole or b.whole or not isinstance(a.lvalue, Element) or not isinstance(b.lvalue, Element):
            return True
        i = self.regions[one[0]].cells.value(a.lvalue.index, (*g, *one[2]))
        j = self.regions[two[0]].cells.value(b.lvalue.index, (*g, *two[2]))
        return not i.meet(j).empty


class Static:
    """Answers the questions of one program in turn; what its edges do is surveyed once."""

    def __init__(self) -> None:
        self.survey: Survey | None = None

    def __call__(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        if not isinstance(question, RaceOn):
            return Unknown("the static prover answers questions about races only", ("static",))
        if self.survey is None or self.survey.program is not program:
            self.survey = Survey(program)
        reason = ""
        for tracked in dict.fromkeys(self.survey.levels(question.variable)):
            for most in MOST_STATES:
                options.check_time()
                attempt = Attempt(program, question, tracked, most, EFFORT)
                try:
                    attempt.pairing.run()
                except Open as pair:
                    reason = f"nothing static keeps {_place(program, pair.one)} and {_place(program, pair.two)} apart"
                    continue
                except TooMuch:
                    reason = "too many pairs of places"
                    break
                attempt = self._least(program, question, attempt, most)
                proof = certificate(program, question, attempt.regions, attempt.pairing)
                observer("static", {"tracked": len(attempt.tracked.globals), "pairs": len(attempt.pairing.pairs)})
                judgement = check_certificate(program, question, proof)
                if isinstance(judgement, Accepted):
                    shown = tuple(map(show_lvalue, attempt.tracked.globals))
                    return Safe(proof, reasons(program, question, self.survey, attempt.tracked),
                                statistics=Statistics(shown, states=len(attempt.pairing.pairs)))
                reason = f"the proof does not hold as written ({judgement})"
        return Unknown(reason or "nothing to rest a proof on", ("static",))

    def _least(self, program: Program, question: RaceOn, found: Attempt, most: int) -> Attempt:
        """The proof with as few cells as it takes, so that the kernel has little to look at."""
        effort = 2 * (EFFORT - found.pairing.effort) + 100
        size = max(1, len(found.tracked.cells()) // 2)
        while True:
            cells = found.tracked.cells()
            for n in range(0, len(cells), size):
                attempt = Attempt(program, question, found.tracked.without(cells[n:n + size]), most, effort)
                try:
                    attempt.pairing.run()
                except (Open, TooMuch):
                    continue
                found = attempt
            if size == 1:
                return found
            size //= 2


def _indices(program: Program, number: int, variable: str) -> dict[int, frozenset[str]]:
    """By location the variables that tell which element an access to the variable there means."""
    found: dict[int, frozenset[str]] = {}
    for e in program.templates[number].cfa.edges:
        for a in e.accesses:
            if a.variable == variable and isinstance(a.lvalue, Element):
                found[e.source] = found.get(e.source, frozenset()) | variables(a.lvalue.index)
    return found


def _place(program: Program, state: ThreadState) -> str:
    template = program.templates[state[0]]
    line = template.cfa.places.get(state[1])
    return template.name if line is None else f"{template.name} from line {line.line} on"


def engine() -> Static:
    return Static()
