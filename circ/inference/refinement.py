"""Refine: an abstract error trace is real, or it says what the abstraction must learn.

The interleavings that the trace may stand for are tried in turn. A feasible one on the weakened program is looked at on the
program itself: feasible there too, it is a race (the kernel replays it); infeasible there, the variables that exclude it
are kept from now on (localisation by counterexample). An infeasible one is mined for predicates.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from circ.abstraction.abstract_errors import AccessPair
from circ.abstraction.ordering import EdgeRun
from circ.abstraction.predicates import Predicates
from circ.abstraction.relevance import ScopedName
from circ.abstraction.trace_formulas import Feasible, Formula, Infeasible, Script, concrete_trace, decide, same_cell, script
from circ.inference.arg import AbstractSystem, AbstractTrace
from circ.inference.miners import MinedPredicate, equalities, interpolants, needed_variables, values, weakest_preconditions
from circ.inference.trace import Interleaving, Mu, concretise, expand, with_bystanders
from circ.verdict import Question, RaceOn, Trace
from circ.views.variable_sets import VariableSet
from frontend.program import Expr, Program, ThreadTemplate, negate
from frontend.program.connectives import any_of
from frontend.records import dataclass

MOST_WAYS_AROUND = 16

Miner: TypeAlias = Callable[[Script, Infeasible], list[MinedPredicate]]
MINERS: tuple[tuple[str, Miner], ...] = (
    ("weakest preconditions", weakest_preconditions),
    ("interpolants", interpolants),
    ("assigned values", equalities),
    ("constants", values),
)


@dataclass(frozen=True, slots=True)
class Real:
    """The trace can happen; `trace` is a concrete run for the kernel to replay."""

    trace: Trace


@dataclass(frozen=True, slots=True)
class Learnt:
    """New predicates were added, or variables are to be kept (`kept` not empty)."""

    kept: VariableSet
    predicates: int
    how: str


@dataclass(frozen=True, slots=True)
class NothingNew:
    """Every interleaving tried is infeasible and no miner has anything to add."""

    tried: int


def refine(
    program: Program,
    question: Question,
    system: AbstractSystem,
    mus: Sequence[Mu],
    trace: AbstractTrace,
    predicates: Predicates,
    kept: VariableSet,
    reluctance: Mapping[ScopedName, int],
) -> Real | Learnt | NothingNew:
    """What an abstract error trace teaches; raises CounterTooLow if the counters cannot tell whose steps these are.

    `reluctance`: of which variables rather not to speak (`circ.abstraction.relevance`).
    """
    excluded: list[tuple[Script, Infeasible]] = []
    tried = 0
    for interleaving in concretise(system, mus, trace):
        if _too_many(system, interleaving):
            continue
        tried += 1
        weak = _weak_script(program, question, system, interleaving)
        outcome = decide(weak, reluctance)
        if isinstance(outcome, Infeasible):
            excluded.append((weak, outcome))
            new = _learn(predicates, MINERS[0][1](weak, outcome))
            if new:
                return Learnt(VariableSet(), new, MINERS[0][0])
            continue
        verdict = _on_the_program(program, question, system, interleaving, kept, reluctance)
        if verdict is not None:
            return verdict
    for how, miner in MINERS[1:]:
        for weak, outcome in excluded:
            new = _learn(predicates, miner(weak, outcome))
            if new:
                return Learnt(VariableSet(), new, how)
    return NothingNew(tried)


def _learn(predicates: Predicates, found: list[MinedPredicate]) -> int:
    return sum(predicates.add(e, template) for template, e in found)


def _too_many(system: AbstractSystem, interleaving: Interleaving) -> bool:
    """Whether it takes more threads of a template than there are."""
    for t in set(interleaving.threads):
        n = system.count(t)
        if n is not None and interleaving.threads.count(t) > n:
            return True
    return False


# --------------------------------------------------------------------------------------------------- scripts
def _weak_script(program: Program, question: Question, system: AbstractSystem, interleaving: Interleaving) -> Script:
    threads = [system.skeletons[t].weak for t in interleaving.threads]
    final = _final(program, question, system, interleaving, interleaving.clashes)
    return script(program, threads, ((t, s.op) for t, s in interleaving.steps), final)


def _final(
    program: Program, question: Question, system: AbstractSystem, interleaving: Interleaving, clashes: tuple[AccessPair, ...]
) -> tuple[Expr, ...]:
    """What must hold at the end for the error: some clashing pair means one cell, or an invariant is false."""
    if isinstance(question, RaceOn) and interleaving.partner is not None:
        threads = [system.skeletons[t].original for t in interleaving.threads]
        cells = [same_cell(threads, ((0, *one), (interleaving.partner, *two))) for one, two in clashes]
        exact = [c for c in cells if c is not None]
        return (any_of(exact),) if exact and len(exact) == len(cells) else ()
    at = [system.skeletons[t].original.cfa for t in interleaving.threads]
    if program.invariants and interleaving.partner is None and not any(cfa.errors for cfa in at):
        return (any_of([negate(i.cond) for i in program.invariants]),)
    return ()


def _on_the_program(
    program: Program, question: Question, system: AbstractSystem, interleaving: Interleaving, kept: VariableSet,
    reluctance: Mapping[ScopedName, int],
) -> Real | Learnt | None:
    """The interleaving on the program's own edges: real, or excluded by variables that were sliced away."""
    interleaving = with_bystanders(system, interleaving)
    threads = [system.skeletons[t].original for t in interleaving.threads]
    excluded: list[tuple[Formula, Infeasible]] = []
    for clash, run in _runs(system, interleaving):
        steps = [(t, threads[t].cfa.edges[i].op) for t, i in run]
        final = _final(program, question, system, interleaving, () if clash is None else (clash,))
        full = Formula(script(program, threads, steps, final))
        outcome = full.decide(reluctance)
        if isinstance(outcome, Feasible):
            for surer in _without_doubts(threads, run):
                again = decide(script(program, threads, [(t, threads[t].cfa.edges[i].op) for t, i in surer], final))
                if isinstance(again, Feasible):
                    run, outcome = surer, again
                    break
            accesses: tuple[tuple[int, int, int], ...] = ()
            if clash is not None and interleaving.partner is not None:
                accesses = ((0, *clash[0]), (interleaving.partner, *clash[1]))
            return Real(concrete_trace(program, question, threads, run, accesses, outcome))
        excluded.append((full, outcome))
    new = _missing(excluded, kept, reluctance)
    return Learnt(new, 0, "variables kept") if new != VariableSet() else None


def _missing(runs: Sequence[tuple[Formula, Infeasible]], kept: VariableSet, reluctance: Mapping[ScopedName, int]) -> VariableSet:
    """What to keep: of the globals that exclude one of the runs those that exclude most of the others, too.

    Some ways through code that does not matter contradict themselves, and what excludes these is no reason.
    """
    needed = [[n for n in needed_variables(f.script, why) if n[1] not in kept.globals and n not in kept.locals]
              for f, why in runs]
    reasons = dict.fromkeys(frozenset(name for owner, name in names if owner is None) for names in needed if names)
    best, fewest = VariableSet(), (len(runs) + 1, 0)
    for shared in [r for r in reasons if r] or list(reasons):
        found, left = VariableSet(shared), 0
        for (f, _), names in zip(runs, needed, strict=True):
            if shared.issuperset(name for owner, name in names if owner is None):
                found |= VariableSet(locals=frozenset((owner, name) for owner, name in names if owner is not None))
            else:
                again = f.excluded_by(kept.globals | shared)
                left += again is None
                if again is not None:
                    found |= VariableSet(locals=frozenset((owner, name) for owner, name in needed_variables(f.script, again)
                                                   if owner is not None and (owner, name) not in kept.locals))
        score = left, sum(reluctance.get((None, name), 0) for name in shared)
        if score < fewest:
            best, fewest = found, score
    return best


def _without_doubts(threads: Sequence[ThreadTemplate], run: EdgeRun) -> Iterator[EdgeRun]:
    """The run with every step that the C program may not be able to take replaced by one beside it that it can take."""
    ways: list[list[tuple[int, int]]] = []
    for t, i in run:
        edges = threads[t].cfa.edges
        ends = edges[i].source, edges[i].target
        sure = [(t, j) for j, e in enumerate(edges) if (e.source, e.target) == ends and not e.doubts]
        ways.append(sure if any(d.step for d in edges[i].doubts) else [(t, i)])
    if any(way != [step] for way, step in zip(ways, run, strict=True)):
        yield from itertools.islice(itertools.product(*ways), MOST_WAYS_AROUND)


def _runs(system: AbstractSystem, interleaving: Interleaving) -> Iterator[tuple[AccessPair | None, tuple[tuple[int, int], ...]]]:
    for clash in interleaving.clashes or (None,):
        for run in expand(system, interleaving, clash):
            yield clash, run
