"""The loop of `circ.finite.refinement` on decision diagrams: error states in layers, values split into classes.

Only this and `circ.finite.symbolic` need the package `dd` with CUDD (`pip install 'circ[bdd]'`).
"""

from __future__ import annotations

from circ.finite.symbolic import (
    StateSet,
    SymbolicModular,
    SymbolicSystem,
    ValueClasses,
    exposed,
    hidden,
    predicates,
    split,
    symbolic_certificate,
)
from circ.finite.system import FiniteSystem, Stepper, start_choices, trace_steps, verdict_of
from circ.finite.words import REFINED, in_words
from circ.verdict import Observer, Options, Refuted, Safe, Statistics, Step, Unknown, Verdict


def symbolic(system: FiniteSystem, options: Options, observer: Observer) -> Verdict:
    """Algorithm 2 on decision diagrams."""
    s = SymbolicSystem(system)
    classes = hidden(s)
    start, error = s.start(), s.error()
    layers = [error]
    rounds = 0
    result: SymbolicModular | None = None
    while True:
        if result is None:
            result = SymbolicModular(s, classes, options.check_time).run()
        observer("refinement", {"round": rounds, "predicates": predicates(classes), "nodes": s.peak()})
        bad = result.join & error
        statistics = Statistics(_shown(system, classes), rounds=rounds, states=s.peak())
        if bad == s.false:
            return Safe(symbolic_certificate(s, result.reached), (in_words(system.question, REFINED),), statistics=statistics)
        if bad & start != s.false:
            return _wrong(s, layers, bad & start, statistics)
        fresh = _predecessors(s, bad) & result.join & ~error
        if fresh != s.false:
            layers.append(fresh)
            error |= fresh
        finer = split(s, split(s, classes, bad), fresh)
        if finer != classes:
            classes, result, rounds = finer, None, rounds + 1
            continue
        if fresh != s.false:
            continue
        assert classes != exposed(s), "with everything exposed every state of the join is reachable"
        classes, result, rounds = exposed(s), None, rounds + 1


def _predecessors(s: SymbolicSystem, states: StateSet) -> StateSet:
    found = s.false
    for moves in s.moves:
        for commands in moves:
            found |= s.preimage(states, commands)
    return found


def _shown(system: FiniteSystem, classes: list[ValueClasses]) -> tuple[str, ...]:
    """The exposed predicates, as a reader would write them."""
    found = []
    for t, own in enumerate(classes):
        group = system.groups[system.threads[t]]
        for name, parts in zip(("location", *map(str, group.cells)), own, strict=True):
            found += [f"thread {t}: {name} in {{{', '.join(map(str, p))}}}" for p in parts[1:]]
    return tuple(found)


def _wrong(s: SymbolicSystem, layers: list[StateSet], starts: StateSet, statistics: Statistics) -> Refuted | Unknown:
    """From a start state down the layers, each of which steps into an earlier one, to an error state."""
    system = s.system
    stepper = Stepper(system)
    g, locals_ = s.encoding.pick(starts)
    begin = start_choices(system, g, locals_)
    steps: list[Step] = []
    level = next(n for n, layer in enumerate(layers) if s.encoding.contains(layer, g, locals_))
    while level:
        level, g, locals_, taken = _descend(s, stepper, layers[:level], g, locals_)
        steps += taken
    return verdict_of(system, stepper, g, locals_, begin, tuple(steps), statistics)


def _descend(s: SymbolicSystem, stepper: Stepper, layers: list[StateSet], g: tuple[int, ...],
             locals_: tuple[tuple[int, ...], ...]) -> tuple[int, tuple[int, ...], tuple[tuple[int, ...], ...], list[Step]]:
    for t, i in enumerate(s.system.threads):
        for move, chosen, g2, local2 in stepper.successors(i, g, locals_[t]):
            after = (*locals_[:t], local2, *locals_[t + 1:])
            for n, layer in enumerate(layers):
                if s.encoding.contains(layer, g2, after):
                    return n, g2, after, trace_steps(s.system, t, move, chosen)
    raise AssertionError("a state of a layer steps into no earlier one")
