"""Thread-modular model checking (Flanagan, Qadeer, SPIN 2003): each thread alone against the inferred steps of the others.

Safe or unknown, never a race: an error state in the join may be spurious. Space grows as n.G.(G+L), and identical threads
are computed once. See `circ.finite.modular` for the rules.
"""

from __future__ import annotations

from circ.finite.inductive_certificates import modular_certificate
from circ.finite.modular import Modular, one_class
from circ.finite.system import NotFiniteState, OutOfDomain, build
from circ.finite.words import ALONE, why
from circ.verdict import Engine, Observer, Options, Question, Safe, Statistics, Technique, Unknown, Verdict
from frontend.program import Program


def engine() -> Engine:
    return check


def check(program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
    """Safe if no error state is in the join of the thread-local reachable sets."""
    try:
        system = build(program, question, options.on(Technique.SYMMETRY))
        result = Modular(system, one_class(system), options).run()
        clash = next(result.clashes(), None)
    except (NotFiniteState, OutOfDomain) as error:
        return Unknown(str(error))
    statistics = Statistics(rounds=1, states=result.states)
    observer("modular", {"states": result.states})
    if clash is None:
        return Safe(modular_certificate(system, result), why(system, ALONE, result.seen()),
                    statistics=statistics)
    return Unknown("the thread-modular abstraction forgets which thread is where, and an error state is in it",
                   ("thread-modular",), "try --engine refinement, or let a lock hold its owner's number", statistics=statistics)
