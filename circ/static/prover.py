"""Engine `static`: a proof from locks, flags, creation and joining, without a solver and without refinement.

The cells that may matter (`circ.static.tracking`) are tracked as sets of values; `circ.static.pairing` finds all pairs of
places at which two
threads can be at once; if no two of them are conflicting accesses to one cell, the pairs are the certificate. What is given up
here is a proof, never a race: the engine answers `safe` or `unknown`. Where a proof is more than such pairs, the kernel is
asked before `safe` is said, so that one which does not hold as written costs time only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from circ.kernel.certificate import Kernel
from circ.kernel.further_kinds import FurtherKinds
from circ.kernel.outcome import Accepted
from circ.kernel.syntactic import protected
from circ.static.arguments.argument import Argument
from circ.static.arguments.bounds.ranges import Ranges
from circ.static.arguments.bounds.spans import Spans
from circ.static.arguments.draws import draws
from circ.static.arguments.handover import Handover
from circ.static.arguments.joining import Joining
from circ.static.arguments.live_counts import alive
from circ.static.arguments.lock_arrays import Elements
from circ.static.arguments.numbering import Numbering
from circ.static.arguments.publication import Publication
from circ.static.arguments.readers import Readers
from circ.static.arguments.tickets import tickets
from circ.static.attempts import Attempt, marked
from circ.static.focus import LARGE, Focus
from circ.static.outline import Outline, outline
from circ.static.ownership import Ownership
from circ.static.pair_proof import pairs_body
from circ.static.pairing import RegionThread
from circ.static.reasons import reasons
from circ.static.tracking import Survey, Tracked, TrackedCell, key
from circ.verdict import Certificate, Observer, Options, ProofKind, Question, RaceOn, Safe, Statistics, Unknown, Verdict
from frontend.program import Ints, Lvalue, Program, Var
from frontend.records import dataclass

EFFORT = 60_000
FEW = 4
"""So many templates are worth the effort once; where there are more, there are more pairs of them."""
MOST_STATES = (1, 8)
CHEAP = 20_000
"""Steps that may go into a smaller proof in any case, besides twice those that the proof took."""
MOST_HINTS = 6
MOST_RECIPES = 4
MOST_SHARED = 8
"""Proofs that are tried for further variables; the last one first."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Pairs that were worked out for some variables and may do for others, and what a certificate says of them."""

    attempt: Attempt
    body: Mapping[str, Any]


Recipes: TypeAlias = dict[tuple[frozenset[int], bool], list[tuple[Lvalue, ...]]]
"""Flags of creation and joining that proofs rested on, by what is alike in the variables that need them (`Static._sort`)."""


class Static:
    """Answers the questions of one program in turn; what its edges do is surveyed once.

    A large program is first seen through the variables that probably matter (`circ.static.focus`).
    """

    def __init__(self, recipes: Recipes | None = None, patience: int = 1) -> None:
        """`patience`: how many times the usual effort a try may take."""
        self.survey: Survey | None = None
        self._recipes: Recipes = {} if recipes is None else recipes
        self._focus: Focus | None = None
        self._small: dict[int, tuple[Program, Static]] = {}
        self._ownership: Ownership | None = None
        self._effort, self._patience = EFFORT, patience
        self.exhausted = False
        """Whether more effort might have led to other answers about this program."""
        self.cut_off = False
        """Whether the last question was given up because of its `total`."""
        self._open: frozenset[str] = frozenset()
        """Variables whose accesses nothing but a proof keeps apart."""
        self._proofs: dict[str, Shared] = {}
        self._last: list[Shared] = []
        self._kernel: Kernel | None = None
        self._failed: dict[str, set[tuple[frozenset[TrackedCell], int]]] = {}
        """For each variable what has been tracked in vain, with so many states."""

    def __call__(
        self, program: Program, question: Question, options: Options, observer: Observer, total: int | None = None
    ) -> Verdict:
        """`total`: after so many steps of all tries together no further one is begun, in each view of the program."""
        self.cut_off = False
        if not isinstance(question, RaceOn):
            return Unknown("the static prover answers questions about races only", ("static",))
        if self.survey is None or self.survey.program is not program:
            survey = self._begin(program)
            self._focus = Focus(program, survey) if survey.size >= LARGE else None
            self._small = {}
            self._ownership = None
        owned = self._owned(program, question)
        if owned is not None:
            return owned
        for view in self._focus.views(question.variable) if self._focus is not None else ():
            _, prover = self._small.setdefault(id(view.program), (view.program, Static(self._recipes, self._patience)))
            seen = prover._prove(view.program, question, options, observer, total)
            self.exhausted |= prover.exhausted
            self.cut_off |= prover.cut_off
            if isinstance(seen, Safe):
                return view.lifted(question, seen)
        return self._prove(program, question, options, observer, total)

    def _owned(self, program: Program, question: RaceOn) -> Safe | None:
        """A proof that each object has one owner at a time, who alone accesses it; None if there is none."""
        self._ownership = self._ownership or Ownership(program)
        body = self._ownership.body(question.variable)
        if body is None:
            return None
        self._kernel = self._kernel or Kernel(program, FurtherKinds())
        proof = Certificate(program.fingerprint(), question, ProofKind.OWNERSHIP, body)
        if not isinstance(self._kernel.check(question, proof), Accepted):
            return None
        return Safe(proof, ("each object has one owner at a time: who allocated it, unlinked it or holds the lock of its list",))

    def _prove(self, program: Program, question: RaceOn, options: Options, observer: Observer, total: int | None) -> Verdict:
        """The question about the program as it is."""
        if self.survey is None or self.survey.program is not program:
            self._begin(program)
        variable = question.variable
        shared = self._proofs.get(variable) or next((s for s in self._last if s.attempt.excludes(variable)), None)
        if shared is not None:
            return self._checked(question, shared)
        reason, spent = "", 0
        group = self._group(variable)
        guesses = self._guesses(variable, group)
        for number, (seen, tracked, arguments) in enumerate(self._choices(program, variable, group, guesses)):
            for most in MOST_STATES[:1] if number < len(guesses) else MOST_STATES:
                options.check_time()
                if total is not None and spent > total:
                    self.cut_off = True
                    return Unknown(reason or "too many pairs of places", ("static",))
                attempt = self._attempt(seen, variable, group, tracked, arguments, most)
                if attempt is None:
                    continue
                spent += self._effort - attempt.pairing.effort
                reason = self._reason(attempt, variable) or reason
                self.exhausted |= attempt.exhausted
                if attempt.left:
                    attempt = attempt if number < len(guesses) else self._least(attempt, most)
                    shared = Shared(attempt, pairs_body(seen, attempt.regions, attempt.pairing, attempt.arguments))
                    observer("static", {"tracked": len(attempt.tracked.globals), "pairs": len(attempt.pairing.pairs)})
                    if self._sure(arguments):
                        self._remember(group, shared)
                    if variable in attempt.left:
                        return self._checked(question, shared)
                if attempt.final:
                    break
        return Unknown(reason or "nothing to rest a proof on", ("static",))

    def _begin(self, program: Program) -> Survey:
        self.survey = Survey(program)
        self._effort = EFFORT * (1 + len(program.templates) // FEW) * self._patience
        self._open = frozenset(v.name for v in program.shared if protected(program, v.name) is not None)
        self._proofs, self._last, self._failed, self._kernel = {}, [], {}, None
        self.exhausted = False
        return self.survey

    def _sure(self, arguments: Sequence[Argument]) -> bool:
        """Pairs of value sets are inductive as they are made; what arguments and mathematical integers add is not sure."""
        assert self.survey is not None
        return not arguments and self.survey.program.ints == Ints.EXACT

    def _group(self, variable: str) -> tuple[str, ...]:
        """The variable and those that are accessed with the same locks held, as far as nothing is proved of them."""
        assert self.survey is not None
        locks = frozenset(self.survey.locks_of(variable))
        found = tuple(v.name for v in self.survey.program.shared if v.name == variable or (
            v.name in self._open and v.name not in self._proofs and frozenset(self.survey.locks_of(v.name)) == locks))
        return found or (variable,)

    def _attempt(
        self, seen: Outline, variable: str, group: tuple[str, ...], tracked: Tracked, arguments: tuple[Argument, ...], most: int
    ) -> Attempt | None:
        """A try for the variable and what may share its proof, worked out; None if it is known to fail."""
        cells, sure = frozenset(tracked.cells()), self._sure(arguments)
        # Locals are chosen for one variable, and arguments for few.
        asked = group if sure and not any(tracked.locals) else self._alike(variable, arguments)
        if sure:
            asked = tuple(v for v in asked if (cells, most) not in self._failed.get(v, ()))
        if variable not in asked:
            return None
        attempt = Attempt(seen, asked, tracked, arguments, most, self._effort)
        attempt.close()
        for v in asked if sure else ():
            if v not in attempt.left:
                self._failed.setdefault(v, set()).update((cells, n) for n in (MOST_STATES if attempt.final else (most,)))
        return attempt

    def _alike(self, variable: str, arguments: Sequence[Argument]) -> tuple[str, ...]:
        """The variable and those of which the arguments say the same, as far as nothing is proved of them."""
        others = (v for a in arguments for v in a.also() if v in self._open and v not in self._proofs)
        return tuple(dict.fromkeys((variable, *others)))

    def _reason(self, attempt: Attempt, variable: str) -> str:
        if variable in attempt.met:
            one, two = (_place(attempt.seen.original, state) for state in attempt.met[variable])
            return f"nothing static keeps {one} and {two} apart"
        return "" if variable in attempt.left else "too many pairs of places"

    def _guesses(self, variable: str, group: Sequence[str]) -> tuple[Tracked, ...]:
        """The lock that is held at most accesses, with what proofs needed beside it for variables that the same threads use."""
        assert self.survey is not None
        locks, none = self.survey.locks_of(variable)[:1], tuple(() for _ in self.survey.program.templates)
        found = [Tracked(tuple(locks), none)]
        for flags in self._recipes.get(self._sort(group), ()):
            known = (v for v in flags if self.survey.cells.get(key(v) or ("", None)) == v)
            found.append(Tracked(tuple(dict.fromkeys((*locks, *known))), none))
        return tuple(found)

    def _remember(self, group: Sequence[str], shared: Shared) -> None:
        assert self.survey is not None
        self._proofs.update((v, shared) for v in shared.attempt.left)
        self._last = [shared, *self._last[:MOST_SHARED - 1]]
        locks = self.survey.locks_of(group[0])
        flags = tuple(v for v in shared.attempt.tracked.globals if v not in locks)
        recipes = self._recipes.setdefault(self._sort(group), [])
        if flags and flags not in recipes and len(recipes) < MOST_RECIPES:
            recipes.append(flags)

    def _sort(self, group: Sequence[str]) -> tuple[frozenset[int], bool]:
        """Which threads use the variables of a group, and whether any lock is held where they do."""
        assert self.survey is not None
        users = frozenset(n for v in group for n, _, _ in self.survey.program.accesses.get(v, ()))
        return users, bool(self.survey.locks_of(group[0]))

    def _checked(self, question: RaceOn, shared: Shared) -> Verdict:
        """The proof, after the kernel has been asked about one that may not hold."""
        assert self.survey is not None
        safe = self._safe(question, shared)
        if self._sure(shared.attempt.arguments):
            return safe
        self._kernel = self._kernel or Kernel(self.survey.program, FurtherKinds())
        judgement = self._kernel.check(question, safe.certificate)
        if not isinstance(judgement, Accepted):
            return Unknown(f"the proof does not hold as written ({judgement})", ("static",))
        self._proofs.update((v, shared) for v in shared.attempt.left)
        return safe

    def _safe(self, question: RaceOn, shared: Shared) -> Safe:
        assert self.survey is not None
        program, attempt = self.survey.program, shared.attempt
        why = reasons(program, question.variable, self.survey, attempt.tracked, attempt.arguments, attempt.pairing)
        proof = Certificate(program.fingerprint(), question, ProofKind.PAIRS, shared.body)
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
        self, program: Program, variable: str, group: tuple[str, ...], guesses: tuple[Tracked, ...]
    ) -> Iterator[tuple[Outline, Tracked, tuple[Argument, ...]]]:
        """What to try, the cheapest first: values of cells alone, then with arguments that apply."""
        assert self.survey is not None
        levels = [*guesses, *dict.fromkeys(self.survey.levels(variable))]
        seen = self._outline(program, group, levels, ())
        for tracked in levels:
            yield seen, tracked, ()
        levels = list(dict.fromkeys((*self.survey.levels(variable), self.survey.full(variable))))
        if len(levels) > len(set(self.survey.levels(variable))):
            yield self._outline(program, (variable,), levels, ()), levels[-1], ()
        known: list[Argument] = [Elements(program, variable), Readers(program), Numbering(program, variable),
                                 Ranges(program, variable), Spans(program, variable),
                                 *draws(program, variable, self.survey.locks_of), *tickets(program),
                                 Publication(program, variable), Handover(program, variable), Joining(program, variable),
                                 *alive(program)]
        found = tuple(a for a in known if a.applies)
        if found:
            more = [cell for a in found for cell in a.cells()]
            levels = [Tracked(tuple(dict.fromkeys((*level.globals, *more))), level.locals) for level in levels]
            seen = self._outline(program, self._alike(variable, found), levels, found)
            for tracked in levels:
                yield seen, tracked, found

    def _outline(
        self, program: Program, asked: tuple[str, ...], levels: Sequence[Tracked], arguments: tuple[Argument, ...]
    ) -> Outline:
        """The program as questions about some variables see it, whichever of the levels is tracked."""
        assert self.survey is not None
        names = [frozenset().union(*(level.names(n) for level in levels)) for n in range(len(program.templates))]
        return outline(program, asked, self.survey.touched, names, marked(program, arguments))

    def _least(self, found: Attempt, most: int) -> Attempt:
        """The proof with few cells, so that the kernel has little to look at: as few as it takes, if that is found soon."""
        effort = 2 * (self._effort - found.pairing.effort) + 100
        rest = effort + CHEAP

        def without(tracked: Tracked, arguments: tuple[Argument, ...]) -> Attempt:
            nonlocal rest
            if rest < 0:
                return found
            attempt = Attempt(found.seen, tuple(found.left), tracked, arguments, most, effort, together=True)
            attempt.close()
            rest -= effort - attempt.pairing.effort
            return attempt if attempt.left else found

        size = max(1, len(found.tracked.cells()) // 2)
        while True:
            cells = found.tracked.cells()
            for n in range(0, len(cells), size):
                found = without(found.tracked.without(cells[n:n + size]), found.arguments)
            if size == 1:
                break
            size //= 2
        for argument in found.arguments:
            found = without(found.tracked, tuple(a for a in found.arguments if a is not argument))
        return found


def _place(program: Program, state: RegionThread) -> str:
    template = program.templates[state[0]]
    line = template.cfa.places.get(state[1])
    return template.name if line is None else f"{template.name} from line {line.line} on"


def engine() -> Static:
    return Static()
