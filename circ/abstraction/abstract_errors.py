"""The error states of a question, read off abstract states: which threads together may show a race or a violation."""

from __future__ import annotations

from typing import TypeAlias

from circ.abstraction.predicates import Abstraction
from circ.abstraction.skeleton import Skeleton
from circ.semantics.conflicts import conflict
from circ.smt import Encoder, SatResult, Solver, Term, negation
from circ.verdict import OutOfTime, Question, RaceOn
from frontend.program import Element, Expr, Program, Self

ThreadState: TypeAlias = tuple[int, int, int]
"""An abstract thread state: anchor, mask over the global predicates, mask over the template's own."""

AccessPair: TypeAlias = tuple[tuple[int, int], tuple[int, int]]
"""Two accesses that may collide, each as (edge index, access index)."""

_TermsOfTwo: TypeAlias = tuple[dict[str, Term], dict[str, Term]]


class Errors:
    """Decides which abstract states are erroneous; may say yes for a state that is not, never no for one that is."""

    def __init__(
        self, program: Program, question: Question, skeletons: tuple[Skeleton, ...], abstractions: tuple[Abstraction, ...]
    ) -> None:
        self.program, self.question = program, question
        self.skeletons, self.abstractions = skeletons, abstractions
        self.encoder = Encoder(program.ints)
        self._static: dict[tuple[int, int, int, int], tuple[AccessPair, ...]] = {}
        self._pairs: dict[tuple[int, ThreadState, int, ThreadState], tuple[AccessPair, ...] | None] = {}
        self._fits: dict[tuple[int, ThreadState, int, ThreadState], bool] = {}
        self._broken: dict[int, bool] = {}
        self.joint = any(
            isinstance(v.start, Self) and any(v.name in used for used in a.used)
            for a in abstractions for v in a.skeleton.weak.locals
        )
        """Whether predicates speak of thread numbers, which differ between threads: then pairs are checked together."""

    # ----------------------------------------------------------------------------------------------- one thread
    def alone(self, t: int, state: ThreadState) -> bool:
        """Whether a thread in this state is an error by itself."""
        if isinstance(self.question, RaceOn):
            return False
        return self.skeletons[t].error[state[0]] or self._breaks_invariant(t, state)

    def _breaks_invariant(self, t: int, state: ThreadState) -> bool:
        if not self.program.invariants:
            return False
        g = state[1]
        if g not in self._broken:
            a = self.abstractions[t]
            terms = {v.name: self.encoder.symbol(v) for v in self.program.globals}
            solver = Solver()
            for i, p in enumerate(a.shared):
                solver.add(self.encoder.cond(p, terms) if g >> i & 1 else self._not(p, terms))
            broken = False
            for inv in self.program.invariants:
                solver.push()
                solver.add(self._not(inv.cond, terms))
                broken = broken or solver.check() is not SatResult.UNSAT
                solver.pop()
            self._broken[g] = broken
        return self._broken[g]

    def _not(self, e: Expr, terms: dict[str, Term]) -> Term:
        return negation(self.encoder.cond(e, terms))

    # ----------------------------------------------------------------------------------------------- two threads
    def clashes(self, t: int, first: ThreadState, s: int, second: ThreadState) -> tuple[AccessPair, ...] | None:
        """How two distinct threads in these states may race; () if they only share a critical section, None if neither."""
        static = self._static_clashes(t, first[0], s, second[0])
        critical = (
            not isinstance(self.question, RaceOn)
            and self.skeletons[t].critical[first[0]] and self.skeletons[s].critical[second[0]]
        )
        if not static and not critical:
            return None
        key = (t, first, s, second)
        if key not in self._pairs:
            solver, terms = self._together(t, first, s, second)
            possible = tuple(c for c in static if self._same_cell(solver, terms, t, s, c))
            satisfiable = solver.check() is not SatResult.UNSAT
            self._pairs[key] = possible if satisfiable and (possible or critical) else None
        return self._pairs[key]

    def fit(self, t: int, first: ThreadState, s: int, second: ThreadState) -> bool:
        """Whether two distinct threads can be in these states at once, as far as the predicates tell."""
        if first[1] != second[1]:
            return False
        if not self.joint:
            return True
        key = (t, first, s, second)
        if key not in self._fits:
            solver, _ = self._together(t, first, s, second)
            self._fits[key] = solver.check() is not SatResult.UNSAT
        return self._fits[key]

    def _static_clashes(self, t: int, q1: int, s: int, q2: int) -> tuple[AccessPair, ...]:
        key = (t, q1, s, q2)
        if key not in self._static:
            left, right = self.skeletons[t], self.skeletons[s]
            found: list[AccessPair] = []
            for i, j in left.accesses[q1]:
                for k, m in right.accesses[q2]:
                    e, f = left.original.cfa.edges[i], right.original.cfa.edges[k]
                    if conflict(self.program.race_model, e, e.accesses[j], f, f.accesses[m]):
                        found.append(((i, j), (k, m)))
            self._static[key] = tuple(found)
        return self._static[key]

    def _together(self, t: int, first: ThreadState, s: int, second: ThreadState) -> tuple[Solver, _TermsOfTwo]:
        solver = Solver()
        shared = {v.name: self.encoder.symbol(v) for v in self.program.globals}
        both = []
        for n, (u, state) in enumerate(((t, first), (s, second)), 1):
            own = {v.name: self.encoder.symbol(v, f"@{n}") for v in self.skeletons[u].original.locals}
            terms = {**shared, **own}
            both.append(terms)
            for literal in (*self.abstractions[u].meaning(*state), *self.abstractions[u].numbers):
                solver.add(self.encoder.cond(literal, terms))
        if t == s:
            for v in self.skeletons[t].original.locals:
                if isinstance(v.start, Self):
                    solver.add(both[0][v.name] != both[1][v.name])
        return solver, (both[0], both[1])

    def _same_cell(self, solver: Solver, terms: _TermsOfTwo, t: int, s: int, clash: AccessPair) -> bool:
        (i, j), (k, m) = clash
        a = self.skeletons[t].original.cfa.edges[i].accesses[j]
        b = self.skeletons[s].original.cfa.edges[k].accesses[m]
        if a.whole or b.whole or not isinstance(a.lvalue, Element) or not isinstance(b.lvalue, Element):
            return True
        solver.push()
        solver.add(self.encoder.index(a.lvalue.index, terms[0]) == self.encoder.index(b.lvalue.index, terms[1]))
        answer = solver.check()
        solver.pop()
        if answer is SatResult.UNKNOWN:
            raise OutOfTime("the solver gave up on whether two array elements are one")
        return answer is SatResult.SAT
