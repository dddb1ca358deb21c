"""Discharges obligations with the solver: each different one once, many in one query. `unknown` proves nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from circ.smt import (
    SatResult,
    Solver,
    Term,
    conjunction,
    decide_apart,
    disjunction,
    key,
    loosened,
    names,
    negation,
    without_stores,
)
from frontend.records import dataclass

BATCH, ELEMENTS = 48, 12
"""Obligations in one query; those about elements of arrays are harder."""
EFFORT, BRIEFLY = 20_000_000, 1_000_000
"""Many easy obligations are one easy query; arithmetic that is easy one by one may not be."""


@dataclass(frozen=True, slots=True)
class Obligation:
    """The hypotheses must imply the goal; `about` says of what it speaks, to a reader."""

    name: str
    hypotheses: tuple[Term, ...]
    goal: Term
    about: tuple[object, ...] = ()

    @property
    def violation(self) -> tuple[Term, ...]:
        return (*self.hypotheses, negation(without_stores(self.goal)))


@dataclass(frozen=True, slots=True)
class Unproved:
    obligation: Obligation
    answer: SatResult


class Prover:
    def __init__(self, batch: int = BATCH) -> None:
        self.queries = 0
        self._size = self._most = batch
        self._false = key(disjunction(()))
        self._true = key(conjunction(()))
        self._seen: dict[tuple[frozenset[int], int], Obligation] = {}
        self._few: dict[tuple[frozenset[int], int], tuple[Obligation, bool]] = {}
        """Obligations with those hypotheses only that speak of nothing but what the goal speaks of, and whether they hold."""

    def first_failure(self, obligations: Iterable[Obligation]) -> Unproved | None:
        """The first obligation that is not proved, None if all are."""
        proved = False
        try:
            failure = self._first_failure(obligations)
            proved = failure is None
            return failure
        finally:
            if not proved:
                self._seen.clear()  # some of them were seen, and not proved

    def _first_failure(self, obligations: Iterable[Obligation]) -> Unproved | None:
        batch: list[Obligation] = []
        for obligation in obligations:
            if self._is_new(obligation):
                batch.append(obligation)
            if len(batch) >= self._size:
                failure = self._prove(batch)
                if failure is not None:
                    return failure
                batch = []
        return self._prove(batch)

    def _is_new(self, obligation: Obligation) -> bool:
        """Whether it is neither seen nor plain: a false hypothesis, or a goal that is itself a hypothesis.

        The latter is the frame rule: a step that changes no symbol of a formula leaves the very same term.
        """
        if any(h is obligation.goal for h in obligation.hypotheses):
            return False
        hypotheses = frozenset(map(key, obligation.hypotheses))
        goal = key(obligation.goal)
        if self._false in hypotheses or goal in hypotheses or goal == self._true:
            return False
        cached = (hypotheses, goal)
        if cached in self._seen:
            return False
        # The obligation is kept, and so are its terms, whose identities stand in the key.
        self._seen[cached] = obligation
        return True

    def _prove(self, batch: list[Obligation]) -> Unproved | None:
        """All at once; only if that does not succeed, one by one. Where batches are too hard they become smaller,
        and larger again where they are not."""
        if len(batch) > 1:
            answer = self._ask_briefly([o.violation for o in batch])
            if answer is SatResult.UNSAT:
                self._size = min(self._most, 2 * self._size)
                return None
            if answer is SatResult.UNKNOWN:
                self._size = max(1, self._size // 4)
        for obligation in batch:
            if self._by_few(obligation):
                continue
            answer = self._ask(obligation.violation)
            if answer is not SatResult.UNSAT:
                return Unproved(obligation, answer)
        return None

    def _by_few(self, obligation: Obligation) -> bool:
        """Whether the goal follows from those hypotheses that speak of nothing else: what follows from some follows from all.

        Mostly it does where a step changes little, and many obligations have the goal and these in common.
        """
        spoken = names(obligation.goal)
        few = tuple(h for h in obligation.hypotheses if names(h) <= spoken)
        if len(few) == len(obligation.hypotheses):
            return False
        asked = (frozenset(map(key, few)), key(obligation.goal))
        if asked not in self._few:
            small = Obligation(obligation.name, few, obligation.goal)
            # Kept with the answer, as its terms' identities stand in the key.
            self._few[asked] = (small, self._ask_briefly([small.violation]) is SatResult.UNSAT)
        return self._few[asked][1]

    def _ask(self, terms: tuple[Term, ...]) -> SatResult:
        """First with what little it mostly takes, then in a world of its own, where nothing asked before makes a difference."""
        answer = self._ask_briefly([terms])
        if answer is SatResult.UNKNOWN:
            self.queries += 1
            answer = decide_apart(terms, EFFORT)
        return answer

    def _ask_briefly(self, cases: Sequence[tuple[Term, ...]]) -> SatResult:
        """Whether the terms of one of the cases can hold together: first as if quotients were any numbers, which is easier."""
        loose = [tuple(map(loosened, terms)) for terms in cases]
        if any(a is not b for one, two in zip(loose, cases, strict=True) for a, b in zip(one, two, strict=True)) \
                and self._decide(loose) is SatResult.UNSAT:
            return SatResult.UNSAT
        return self._decide(cases)

    def _decide(self, cases: Sequence[tuple[Term, ...]]) -> SatResult:
        self.queries += 1
        solver = Solver(BRIEFLY)
        solver.push()
        solver.add(*(cases[0] if len(cases) == 1 else (disjunction(map(conjunction, cases)),)))
        return solver.check()
