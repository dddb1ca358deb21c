"""Thread-modular model checking with iterative refinement (Meng, He, Wang, Liu 2012): complete for finite-state programs.

Algorithm 2: compute the thread-modular R; without error states, PASS; with an initial state among them, FAILURE; otherwise
expose what tells the error states apart, and go on. Where the code departs from the paper:
- the predicates of all error states at once, and of their predecessors with them: the paper takes predecessors (Algorithm
  3, line 16 on) only when no predicate is new, but a coarse R costs more than a predicate too many;
- classes of values with equal cofactors are exposed instead of single values, and need no auxiliary bits
  (`circ.finite.symbolic.fixpoint`);
- the guarantee projects reachable steps only, as Flanagan and Qadeer do, not all of T;
- line 13 (not refinable: PASS) would leave R minus error as the invariant: everything is exposed instead, once, so that
  R itself is the invariant that the kernel checks.
Where threads are identical, one R is computed for all of them, on explicit states with counters (`circ.finite.modular`); else on
decision diagrams (`circ.finite.diagram_refinement`), where the package for them is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from circ.finite.inductive_certificates import modular_certificate
from circ.finite.modular import Modular, Parts, all_classes, one_class
from circ.finite.patterns import Pattern, Patterns
from circ.finite.patterns import split as split_patterns
from circ.finite.product import Product
from circ.finite.system import FiniteSystem, NotFiniteState, OutOfDomain, Stepper, build
from circ.finite.words import REFINED, why
from circ.verdict import Engine, Observer, Options, Question, Safe, Statistics, Technique, Unknown, Verdict
from frontend.program import Program

COUNTED_STATES = 100_000
"""Explicit states with counters are given up for diagrams beyond this."""
AHEAD = 2
"""Steps that error patterns are followed backwards before each refinement: a coarse R costs more than a predicate too many."""
PATTERNS = 300
"""With more error patterns than this everything is exposed."""
MISSING = "decision diagrams are not installed, so states were listed one by one"
ADVICE = "pip install 'circ[bdd]' adds decision diagrams"


def engine() -> Engine:
    return check


def check(program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
    """Safe or refuted, unless the program is not finite-state or a limit is reached. Switches: symmetry, symbolic."""
    symbolic = _diagrams() if options.on(Technique.SYMBOLIC) else None
    missing = symbolic is None and options.on(Technique.SYMBOLIC)
    if missing:
        options = replace(options, switches={**options.switches, Technique.SYMBOLIC: False})
    try:
        system = build(program, question, options.on(Technique.SYMMETRY))
        if symbolic is None:
            return counted(system, options, observer)
        if any(g.size > 1 for g in system.groups):
            try:
                return counted(system, _smaller(options), observer)
            except OutOfDomain:
                system = build(program, question, symmetry=False)
        return symbolic(closed(system, options), options, observer)
    except NotFiniteState as error:
        return Unknown(str(error))
    except OutOfDomain as error:
        return Unknown(str(error), (MISSING,), ADVICE) if missing else Unknown(str(error))


def _diagrams() -> Callable[[FiniteSystem, Options, Observer], Verdict] | None:
    """Refinement on decision diagrams, if the package for these is installed."""
    try:
        from circ.finite.diagram_refinement import symbolic
    except ImportError:
        return None
    return symbolic


def _smaller(options: Options) -> Options:
    return replace(options, max_states=min(options.max_states, COUNTED_STATES))


def closed(system: FiniteSystem, options: Options) -> FiniteSystem:
    """The system with all domains known: where the analysis left some open, a thread-modular run finds their values."""
    if not system.has_open:
        return system
    stepper = Stepper(system)
    Modular(system, one_class(system), options, stepper).run()
    return stepper.closed()


# --------------------------------------------------------------------------------------------------- counters
def counted(system: FiniteSystem, options: Options, observer: Observer) -> Verdict:
    """Algorithm 2 on explicit states, identical threads computed once, with error states as patterns."""
    stepper = Stepper(system)
    try:
        result = Modular(system, one_class(system), options, stepper).run()
    except OutOfDomain:
        return _exact(system, options)
    first = list(result.clashes())
    if first and system.has_open:
        # The first R has found every value there is; from here on classes speak of values.
        system = stepper.closed()
        stepper = Stepper(system)
    patterns = Patterns(system, stepper, first)
    parts, everything = one_class(system), all_classes(system)
    rounds = 0
    while True:
        found = patterns.within(result)
        statistics = Statistics(_counted_shown(system, parts), rounds=rounds, states=result.states)
        observer("refinement", {"round": rounds, "predicates": len(statistics.predicates), "states": result.states})
        if not found:
            return Safe(modular_certificate(system, result), why(system, REFINED, result.seen()), statistics=statistics)
        finer = everything if patterns.at_start() else _finer(patterns, result, found, parts, everything)
        parts, rounds = finer, rounds + 1
        if parts != everything:
            try:
                result = Modular(system, parts, _smaller(options), stepper).run()
                continue
            except OutOfDomain:
                if options.on(Technique.SYMBOLIC):
                    raise
                # What is exposed in part can have more states than the product itself.
                parts = everything
        # With everything exposed R is the product, up to symmetry; a search finds a wrong run before all of it is known.
        wrong = Product(system, options, stepper).search(statistics)
        if wrong is not None:
            return wrong
        result = Modular(system, parts, options, stepper).run()
        assert not patterns.within(result), "with everything exposed every state of the join is reachable"


def _exact(system: FiniteSystem, options: Options) -> Verdict:
    """Everything exposed from the beginning: with nothing exposed the threads can do more to each other than can be listed."""
    search = Product(system, options)
    wrong = search.search()
    if wrong is not None:
        return wrong
    system = search.stepper.closed()
    everything = all_classes(system)
    result = Modular(system, everything, options).run()
    statistics = Statistics(_counted_shown(system, everything), rounds=1, states=result.states)
    return Safe(modular_certificate(system, result), why(system, REFINED, result.seen()), statistics=statistics)


def _finer(patterns: Patterns, result: Modular, found: list[Pattern], parts: tuple[Parts, ...],
           everything: tuple[Parts, ...]) -> tuple[Parts, ...]:
    """The classes divided by the patterns and what leads to them; everything where they do not help or are too many."""
    finer = parts
    ahead = 0
    while finer == parts or ahead < AHEAD:
        grown = patterns.grow(result, found)
        found = patterns.within(result)
        if len(found) > PATTERNS:
            return everything
        finer = split_patterns(parts, found)
        if not grown:
            return everything if finer == parts else finer
        ahead += 1
    return finer


def _counted_shown(system: FiniteSystem, parts: tuple[Parts, ...]) -> tuple[str, ...]:
    found = []
    for group, columns in zip(system.groups, parts, strict=True):
        for name, column in zip(("location", *map(str, group.cells)), columns, strict=True):
            for k in range(1, 1 + max(c for _, c in column)):
                values = ", ".join(str(v) for v, c in column if c == k)
                found.append(f"number of {group.template.name} with {name} in {{{values}}}")
    return tuple(found)
