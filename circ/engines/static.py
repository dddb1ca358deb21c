"""Engine `static`: a proof from locks, flags, creation and joining, without a solver and without refinement.

The cells that may matter (`circ.tracking`) are tracked as sets of values; `circ.pairing` finds all pairs of places at which two
threads can be at once; if no two of them are conflicting accesses to one cell, the pairs are the certificate. What is given up
here is a proof, never a race: the engine answers `safe` or `unknown`. Where a proof is more than such pairs, the kernel is
asked before `safe` is said, so that one which does not hold as written costs time only.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from circ.arguments import Argument, Spot
from circ.elements import Elements
from circ.focus import LARGE, Focus
from circ.joining import Joining
from circ.kernel.certificate import check_certificate
from circ.kernel.outcome import Accepted
from circ.numbering import Numbering
from circ.outline import Outline, outline
from circ.pairing import Open, Pairing, ThreadState, TooMuch
from circ.pairproof import certificate
from circ.publication import Publication
from circ.readers import Readers
from circ.reasons import reasons
from circ.regions import Regions
from circ.tickets import tickets
from circ.tracking import Survey, Tracked, key
from circ.values import State
from circ.verdict import Certificate, Observer, Options, Question, RaceOn, Safe, Statistics, Unknown, Verdict
from frontend.cfa import Access, Edge, Program, conflict
from frontend.expr import Element, Lvalue, Var, variables

EFFORT = 60_000
FEW = 4
"""So many templates are worth the effort once; where there are more, there are more pairs of them."""
MOST_STATES = (1, 8)
MOST_HINTS = 6
MOST_RECIPES = 4
MOST_SHARED = 8
"""Proofs that are tried for further variables; the last one first."""


class Clashes:
    """The conflicting accesses to a variable that may be next at two places, as far as regions and arguments tell."""

    def __init__(self, seen: Outline, variable: str, regions: Sequence[Regions], arguments: tuple[Argument, ...]) -> None:
        self.seen, self.program, self.regions, self.arguments = seen, seen.original, regions, arguments
        self.accesses: list[dict[int, list[tuple[Edge, Access]]]] = [{} for _ in regions]
        for n, e, a in self.program.accesses.get(variable, ()):
            first = seen.first[n][e.source]
            region = None if first is None else regions[n].of[first]
            if region is not None:
                self.accesses[n].setdefault(region, []).append((e, a))
        self._clashes: dict[tuple[Spot, Spot], list[tuple[Access, Access]]] = {}
        self._broken: dict[tuple[Spot, Spot], bool] = {}
        # An index that reads globals may change while a third thread is in an atomic section, of which pairs say nothing.
        sections = any(t.cfa.atomic for t in self.program.templates)
        self._moving = frozenset(v.name for v in self.program.globals) if sections else frozenset()

    def forbidden(self, one: ThreadState, two: ThreadState, g: State) -> bool:
        """Whether the two are at conflicting accesses that may mean one cell, or an argument does not hold of them."""
        key = (one[:2], two[:2])
        if key not in self._clashes:
            self._clashes[key] = [(a, b) for e, a in self.accesses[one[0]].get(one[1], ())
                                  for f, b in self.accesses[two[0]].get(two[1], ())
                                  if conflict(self.program.race_model, e, a, f, b)
                                  and not any(arg.apart(one[:2], a, two[:2], b) for arg in self.arguments)]
            self._broken[key] = any(arg.broken(first, (second[0], q)) for arg in self.arguments
                                    for first, second in ((key[0], key[1]), (key[1], key[0]))
                                    for p in self.regions[second[0]].inside[second[1]]
                                    for q in self.seen.groups[second[0]][p])
        return self._broken[key] or any(self._overlap(a, one, b, two, g) for a, b in self._clashes[key])

    def _overlap(self, a: Access, one: ThreadState, b: Access, two: ThreadState, g: State) -> bool:
        if a.whole or b.whole or not isinstance(a.lvalue, Element) or not isinstance(b.lvalue, Element):
            return True
        if self._moving & (variables(a.lvalue.index) | variables(b.lvalue.index)):
            return True
        i = self.regions[one[0]].cells.value(a.lvalue.index, (*g, *one[2]))
        j = self.regions[two[0]].cells.value(b.lvalue.index, (*g, *two[2]))
        return not i.meet(j).empty


class Attempt:
    """One choice of what to track and of arguments to use: regions, and the accesses in them."""

    def __init__(
        self, seen: Outline, question: RaceOn, tracked: Tracked, arguments: tuple[Argument, ...], most: int, effort: int
    ) -> None:
        self.seen, self.tracked, self.arguments = seen, tracked, arguments
        program = seen.program
        marks = _marks(program, arguments)
        indices = _indices(program, question.variable)
        self.regions = [Regions(program, n, tracked.globals, tracked.locals[n], indices[n], marks[n])
                        for n in range(len(program.templates))]
        self.forbidden = Clashes(seen, question.variable, self.regions, arguments).forbidden
        self.pairing = Pairing(program, self.regions, most, effort, self.forbidden, self.known if arguments else None)

    def known(self, g: State, threads: Sequence[ThreadState]) -> State | None:
        state: State | None = g
        for arg in self.arguments:
            if state is not None:
                state = arg.known(self.tracked.globals, state, [t[:2] for t in threads])
        return state

    def excludes(self, variable: str) -> bool:
        """Whether the pairs, once they are worked out, keep the accesses to another variable apart as well."""
        pairing, clashes = self.pairing, Clashes(self.seen, variable, self.regions, ())
        near = [region in clashes.accesses[t] for t, region, _ in pairing.threads]
        return not any(clashes.forbidden(pairing.threads[i], pairing.threads[j], pairing.lattice.states[s])
                       for (i, j), states in pairing.pairs.items() if near[i] and near[j] for s in states)


@dataclass(frozen=True, slots=True)
class Shared:
    """Pairs that were worked out for one variable and may do for others, and what a certificate says of them."""

    attempt: Attempt
    body: Mapping[str, Any]


Recipes: TypeAlias = dict[tuple[frozenset[int], bool], list[tuple[Lvalue, ...]]]
"""Flags of creation and joining that proofs rested on, by what is alike in the variables that need them (`Static._sort`)."""


class Static:
    """Answers the questions of one program in turn; what its edges do is surveyed once.

    A large program is first seen through the variables that probably matter (`circ.focus`).
    """

    def __init__(self, recipes: Recipes | None = None) -> None:
        self.survey: Survey | None = None
        self._recipes: Recipes = {} if recipes is None else recipes
        self._focus: Focus | None = None
        self._small: dict[int, tuple[Program, Static]] = {}
        self._proved: list[Shared] = []

    def __call__(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        if not isinstance(question, RaceOn):
            return Unknown("the static prover answers questions about races only", ("static",))
        if self.survey is None or self.survey.program is not program:
            survey = self._begin(program)
            self._focus = Focus(program, survey) if survey.size >= LARGE else None
            self._small = {}
        for view in self._focus.views(question.variable) if self._focus is not None else ():
            _, prover = self._small.setdefault(id(view.program), (view.program, Static(self._recipes)))
            seen = prover._prove(view.program, question, options, observer)
            if isinstance(seen, Safe):
                return view.lifted(question, seen)
        return self._prove(program, question, options, observer)

    def _prove(self, program: Program, question: RaceOn, options: Options, observer: Observer) -> Verdict:
        """The question about the program as it is."""
        if self.survey is None or self.survey.program is not program:
            self._begin(program)
        assert self.survey is not None
        for known in self._proved:
            if known.attempt.excludes(question.variable):
                return self._safe(question, known.attempt, Certificate(program.fingerprint(), question, "pairs", known.body))
        reason = ""
        effort = EFFORT * (1 + len(program.templates) // FEW)
        guesses = self._guesses(question.variable)
        for number, (seen, tracked, arguments) in enumerate(self._choices(program, question.variable, guesses)):
            guessed = number < len(guesses)
            for most in MOST_STATES[:1] if guessed else MOST_STATES:
                options.check_time()
                attempt = Attempt(seen, question, tracked, arguments, most, effort)
                try:
                    attempt.pairing.run()
                except Open as pair:
                    reason = f"nothing static keeps {_place(program, pair.one)} and {_place(program, pair.two)} apart"
                    continue
                except TooMuch:
                    reason = "too many pairs of places"
                    break
                attempt = attempt if guessed else self._least(question, attempt, most, effort)
                proof = certificate(program.fingerprint(), seen, question, attempt.regions, attempt.pairing, attempt.arguments)
                observer("static", {"tracked": len(attempt.tracked.globals), "pairs": len(attempt.pairing.pairs)})
                # Pairs of value sets are inductive as they are made; what arguments and mathematical integers add is not sure.
                sure = not attempt.arguments and program.ints == "exact"
                judgement = None if sure else check_certificate(program, question, proof)
                if judgement is None or isinstance(judgement, Accepted):
                    if sure:
                        self._remember(question.variable, attempt.tracked)
                        self._proved = [Shared(attempt, proof.body), *self._proved[:MOST_SHARED - 1]]
                    return self._safe(question, attempt, proof)
                return Unknown(f"the proof does not hold as written ({judgement})", ("static",))
        return Unknown(reason or "nothing to rest a proof on", ("static",))

    def _begin(self, program: Program) -> Survey:
        self.survey = Survey(program)
        self._proved = []
        return self.survey

    def _guesses(self, variable: str) -> tuple[Tracked, ...]:
        """The lock that is held at most accesses, with what proofs needed beside it for variables that the same threads use."""
        assert self.survey is not None
        locks, none = self.survey.locks_of(variable)[:1], tuple(() for _ in self.survey.program.templates)
        found = [Tracked(tuple(locks), none)]
        for flags in self._recipes.get(self._sort(variable), ()):
            known = (v for v in flags if self.survey.cells.get(key(v) or ("", None)) == v)
            found.append(Tracked(tuple(dict.fromkeys((*locks, *known))), none))
        return tuple(found)

    def _remember(self, variable: str, tracked: Tracked) -> None:
        assert self.survey is not None
        locks = self.survey.locks_of(variable)
        flags = tuple(v for v in tracked.globals if v not in locks)
        recipes = self._recipes.setdefault(self._sort(variable), [])
        if flags and flags not in recipes and len(recipes) < MOST_RECIPES:
            recipes.append(flags)

    def _sort(self, variable: str) -> tuple[frozenset[int], bool]:
        """Which threads use a variable, and whether any lock is held where they do."""
        assert self.survey is not None
        users = frozenset(n for n, _, _ in self.survey.program.accesses.get(variable, ()))
        return users, bool(self.survey.locks_of(variable))

    def _safe(self, question: RaceOn, attempt: Attempt, proof: Certificate) -> Safe:
        assert self.survey is not None
        why = reasons(self.survey.program, question.variable, self.survey, attempt.tracked, attempt.arguments)
        return Safe(proof, why, statistics=Statistics(states=len(attempt.pairing.pairs)))

    def hints(self, question: Question) -> tuple[Var, ...]:
        """Locks and flags that another proof will probably speak of too; the question has been asked before."""
        if self.survey is None or not isinstance(question, RaceOn):
            return ()
        near = self.survey.levels(question.variable)[1]
        return tuple(v for v in near.globals if isinstance(v, Var))[:MOST_HINTS]

    @staticmethod
    def argues(program: Program) -> bool:
        """Whether there is a lock that only an argument of this engine understands: one that counts."""
        return Readers(program).applies or bool(tickets(program))

    def _choices(
        self, program: Program, variable: str, guesses: tuple[Tracked, ...]
    ) -> Iterator[tuple[Outline, Tracked, tuple[Argument, ...]]]:
        """What to try, the cheapest first: values of cells alone, then with arguments that apply."""
        assert self.survey is not None
        levels = list(dict.fromkeys(self.survey.levels(variable)))
        names = [frozenset().union(*(level.names(n) for level in (*guesses, *levels))) for n in range(len(program.templates))]
        seen = outline(program, variable, self.survey.touched, names, _marks(program, ()))
        for tracked in (*guesses, *levels):
            yield seen, tracked, ()
        known: list[Argument] = [Elements(program, variable), Readers(program), Numbering(program, variable), *tickets(program),
                                 Publication(program, variable), Joining(program, variable)]
        found = tuple(a for a in known if a.applies)
        if found:
            seen = outline(program, variable, self.survey.touched, names, _marks(program, found))
            for tracked in levels:
                yield seen, tracked, found

    def _least(self, question: RaceOn, found: Attempt, most: int, given: int) -> Attempt:
        """The proof with as few cells as it takes, so that the kernel has little to look at."""
        effort = 2 * (given - found.pairing.effort) + 100
        size = max(1, len(found.tracked.cells()) // 2)
        while True:
            cells = found.tracked.cells()
            for n in range(0, len(cells), size):
                fewer = found.tracked.without(cells[n:n + size])
                attempt = Attempt(found.seen, question, fewer, found.arguments, most, effort)
                found = attempt if _closes(attempt) else found
            if size == 1:
                break
            size //= 2
        for argument in found.arguments:
            others = tuple(a for a in found.arguments if a is not argument)
            attempt = Attempt(found.seen, question, found.tracked, others, most, effort)
            found = attempt if _closes(attempt) else found
        return found


def _marks(program: Program, arguments: Sequence[Argument]) -> list[Sequence[Hashable]]:
    """For each template and location what the arguments tell locations apart by."""
    return [list(zip(*(a.marks(n) for a in arguments), strict=True)) if arguments else [()] * t.cfa.size
            for n, t in enumerate(program.templates)]


def _closes(attempt: Attempt) -> bool:
    """Whether the pairs can be worked out and none of them is forbidden."""
    try:
        attempt.pairing.run()
    except (Open, TooMuch):
        return False
    return True


def _indices(program: Program, variable: str) -> list[dict[int, frozenset[str]]]:
    """For each template, by location, the variables that tell which element an access to the variable there means."""
    found: list[dict[int, frozenset[str]]] = [{} for _ in program.templates]
    for n, e, a in program.accesses.get(variable, ()):
        if isinstance(a.lvalue, Element):
            found[n][e.source] = found[n].get(e.source, frozenset()) | variables(a.lvalue.index)
    return found


def _place(program: Program, state: ThreadState) -> str:
    template = program.templates[state[0]]
    line = template.cfa.places.get(state[1])
    return template.name if line is None else f"{template.name} from line {line.line} on"


def engine() -> Static:
    return Static()
