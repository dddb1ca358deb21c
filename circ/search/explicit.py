"""Engine `explicit`: brute-force search of the product, breadth first. The oracle that judges every other engine.

Finite templates run in exactly their number; unboundedly many threads are tried as 2, 3 and 4, in every distribution over
their templates. A shortest run to a race is `race`. Only a program whose threads are all counted, whose state space was
explored to the end and whose open values were all enumerated is `safe`; its certificate is the set of states.

Reductions, each with a switch: a variable that decides nothing is left open (`open`); states that differ in the order of
equal threads are one (`symmetry`); a thread's purely local step is taken at once (`local-first`, a partial-order reduction with
the usual cycle proviso; a race found with it is looked for again without it, for a shortest run, and no certificate is
built with it).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from circ.abstraction.told_values import never
from circ.kernel.doubts import doubt
from circ.search.reductions import waited_for
from circ.search.state_search import SearchSpace, StateSearch
from circ.search.trace_building import FoundState, build_trace
from circ.verdict import (
    Certificate,
    Engine,
    Observer,
    Options,
    OutOfTime,
    ProofKind,
    Question,
    RaceOn,
    Refuted,
    Safe,
    Statistics,
    Technique,
    Trace,
    Unknown,
    Verdict,
    silent,
)
from circ.views.sure import is_doubtful, surely
from frontend.program import Program

COPIES = (2, 3, 4)
_LARGEST_PROOF = 200_000


def engine() -> Engine:
    return answer


def answer(program: Program, question: Question, options: Options, observer: Observer = silent) -> Verdict:
    """Searches with more and more threads."""
    space = SearchSpace(program, question, options)
    unbounded = [i for i, t in enumerate(program.templates) if t.count is None]
    states = 0
    tried: list[str] = []
    for copies in _copies(program) if unbounded else (0,):
        for crew in crews(program, copies):
            search = StateSearch(space, crew, options, proof=not unbounded)
            found = search.run()
            states += len(search.keys)
            observer("explicit", {"threads": len(crew), "states": len(search.keys)})
            if found is not None:
                return Refuted(_surest(search, found, options, observer), Statistics(states=states))
            if search.full:
                return Unknown(f"more than {options.max_states} states with {len(crew)} threads", tuple(tried),
                               "name fewer threads, or use another engine", Statistics(states=states))
            if not unbounded:
                if not search.domain.exact and (space.open.globals or space.open.locals):
                    # What was left open was only sampled; what it really is may be the value that matters.
                    closed = replace(options, switches={**options.switches, Technique.OPEN: False})
                    return answer(program, question, closed, observer)
                return _all_explored(search, Statistics(states=states))
        tried.append(f"no {_what(question)} with {copies} threads of unbounded number")
    return Unknown(f"no {_what(question)} with up to {COPIES[-1]} threads; more cannot be excluded by search", tuple(tried),
                   "use another engine for a proof", Statistics(states=states))


def oracle(program: Program, question: Question, threads: int, max_states: int = 200_000) -> bool | None:
    """Whether `threads` threads of unbounded number (and all the counted ones) can show it; None if the search is incomplete."""
    options = Options(max_states=max_states)
    space = SearchSpace(program, question, options)
    complete = True
    for crew in crews(program, threads):
        search = StateSearch(space, crew, options, proof=False)
        if search.run() is not None:
            return True
        complete = complete and not search.full and search.domain.exact
    return False if complete else None


def crews(program: Program, copies: int) -> Iterator[tuple[int, ...]]:
    """The thread lists, templates in order: finite counts as they are, `copies` threads spread over the unbounded ones."""
    unbounded = [i for i, t in enumerate(program.templates) if t.count is None]
    if not unbounded:
        yield tuple(i for i, t in enumerate(program.templates) for _ in range(t.count or 0))
        return
    most = {i: program.templates[i].most for i in unbounded}
    for chosen in itertools.combinations_with_replacement(unbounded, copies):
        if all(n is None or chosen.count(i) <= n for i, n in most.items()):
            yield tuple(i for i, t in enumerate(program.templates)
                        for _ in range(chosen.count(i) if t.count is None else t.count))


def _copies(program: Program) -> Sequence[int]:
    """More threads can do all that fewer can, unless somebody waits for all of them."""
    return range(COPIES[-1] + 1) if waited_for(program, started=True) else COPIES


def _what(question: Question) -> str:
    return "race" if isinstance(question, RaceOn) else "violated assertion"


def _shortest(search: StateSearch, found: FoundState) -> Trace:
    """The run found, or a shorter one by a search without the reduction that skips runs.

    That search is counted in states; where time runs out first, the run found is what is told: a race is not lost to a deadline.
    """
    if search.local_first:
        options = Options(max_states=20 * len(search.keys) + 1000, deadline=search.options.deadline)
        again = StateSearch(search.space, search.crew, options, proof=True)
        try:
            shorter = again.run()
        except OutOfTime:
            shorter = None
        if shorter is not None:
            search, found = again, shorter
    path, who = search.path(found.state)
    return build_trace(search.space.program, search.machine, search.question, search.crew, path, who, found)


def _surest(search: StateSearch, found: FoundState, options: Options, observer: Observer) -> Trace:
    """The run found; one that the C program surely has, where that one may not be and such a one is found."""
    program, trace = search.space.program, _shortest(search, found)
    if doubt(program, trace) is None or not any(is_doubtful(e) for t in program.templates for e in t.cfa.edges):
        return trace
    again = answer(surely(program), search.question, options, observer)
    if not isinstance(again, Refuted):
        return trace
    surer = replace(again.trace, program=program.fingerprint())
    return surer if doubt(program, surer) is None else trace


def _all_explored(search: StateSearch, statistics: Statistics) -> Verdict:
    if not search.domain.exact:
        return Unknown("no run found, but values of more than 8 bits were only sampled", statistics=statistics)
    if len(search.keys) > _LARGEST_PROOF:
        return Unknown(f"all {len(search.keys)} states explored, too many for a certificate", statistics=statistics)
    certificate = Certificate(search.space.program.fingerprint(), search.question, ProofKind.REACHABLE, search.reachable())
    n = len(search.crew)
    told = search.told_values(search.question.variable) if isinstance(search.question, RaceOn) else ()
    tried = f"all orders in which {n} threads can take their steps were tried" if n > 1 else "all runs of the thread were tried"
    why = (*told, f"{tried}: {never(search.question)}")
    return Safe(certificate, why, statistics=statistics)
