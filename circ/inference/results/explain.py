"""What protects a variable, in plain words, read off the context that was inferred for it."""

from __future__ import annotations

from circ.abstraction.abstract_errors import ThreadState
from circ.abstraction.predicates import Abstraction
from circ.abstraction.skeleton import Segment
from circ.abstraction.told_values import told_lines
from circ.inference.acfa import Acfa, moves_of
from circ.inference.arg import AbstractSystem
from circ.inference.results.minterms import cover
from circ.verdict import ContextAutomaton, ContextEdge, ContextLocation, Question, RaceOn
from frontend.program import TRUE, Expr
from frontend.program.display import formula_words

MOST_LOCATIONS = 12
"""A larger automaton is better drawn than told."""


def why(
    question: Question, system: AbstractSystem, acfas: tuple[Acfa, ...], mus: tuple[dict[ThreadState, int], ...]
) -> tuple[str, ...]:
    """Sentences about when the variable is accessed, how a thread gets there, and what keeps the others away."""
    if not isinstance(question, RaceOn):
        return ("no abstract state of any thread, among any number of others, is an error",)
    sentences: list[str] = []
    for t, acfa in enumerate(acfas):
        sentences += _about(system, t, acfa, mus[t])
    return tuple(dict.fromkeys(sentences))


def automata(system: AbstractSystem, acfas: tuple[Acfa, ...]) -> tuple[str, ...]:
    """What each thread may do as far as the others see it: locations and what holds there, moves and what they need and make."""
    lines: list[str] = []
    for t, acfa in enumerate(acfas):
        ab, called = system.abstractions[t], system.skeletons[t].original.called
        shown = {v.name: v.shown or v.name for v in ab.program.globals}
        if acfa.size > MOST_LOCATIONS:
            lines.append(f"the context automaton of {called} has {acfa.size} locations; --dump draws it")
            continue
        lines.append(f"the context automaton of {called}:")
        for c in range(acfa.size):
            marks = ", ".join(["start"] * (c in acfa.start) + ["atomic"] * acfa.atomic[c])
            lines.append(f"  {c + 1}{f' ({marks})' if marks else ''}: {_meaning(ab, acfa.label[c]) or 'anything'}")
            for goal, written, before, after in moves_of(acfa, c):
                needs, makes = _meaning(ab, before) or "anything", _meaning(ab, after) or "anything"
                change = f"while {needs}" if needs == makes else f"while {needs}, then {makes}"
                names = [shown.get(name, name) for name in written if not name.startswith("<")]
                lines.append(f"    to {goal + 1} {change}" + (f", writes {', '.join(names)}" if names else ""))
    return tuple(lines)


def context_automata(system: AbstractSystem, acfas: tuple[Acfa, ...]) -> tuple[ContextAutomaton, ...]:
    """The abstract threads as data, their masks as formulas over the globals."""
    found = []
    for t, acfa in enumerate(acfas):
        formula = _Formulas(system.abstractions[t])
        locations = tuple(
            ContextLocation(formula(acfa.label[c]), frozenset(q for a in acfa.anchors[c] for q in system.locations(t, a)),
                            c in acfa.start, acfa.atomic[c]) for c in range(acfa.size))
        edges = tuple(ContextEdge(c, goal, written, formula(before), formula(after))
                      for c in range(acfa.size) for goal, written, before, after in moves_of(acfa, c))
        found.append(ContextAutomaton(system.skeletons[t].template, locations, edges))
    return tuple(found)


class _Formulas:
    """Sets of global masks as formulas; each set is worked out once."""

    def __init__(self, ab: Abstraction) -> None:
        self.ab = ab
        self.known: dict[frozenset[int], Expr] = {}

    def __call__(self, masks: frozenset[int]) -> Expr:
        if masks not in self.known:
            self.known[masks] = cover(masks, tuple(range(self.ab.width)), self.ab.all)
        return self.known[masks]


def _about(system: AbstractSystem, t: int, acfa: Acfa, mu: dict[ThreadState, int]) -> list[str]:
    sk, ab = system.skeletons[t], system.abstractions[t]
    bare = [c for c in range(acfa.size) if any(_bare(system, t, q) for q in acfa.anchors[c])]
    if not bare:
        return []
    masks = frozenset().union(*(acfa.label[c] for c in bare))
    held = _meaning(ab, masks)
    lines = {sk.original.cfa.edges[i].location.line for c in bare for q in acfa.anchors[c] for i, _ in sk.accesses[q]}
    does = f"{sk.original.called} accesses it at {told_lines(lines)}"
    if held is None:
        return [does]
    found = [f"{does} only while {held}"]
    for segment, before, after in _entries(system, t, mu, frozenset(bare)):
        line = sk.original.cfa.edges[segment.paths[0][0]].location.line
        needs, makes = _meaning(ab, before), _meaning(ab, after)
        if needs and makes and needs != makes:
            found.append(f"a thread gets there by the step at line {line}: {needs} before it, {makes} after it, "
                         f"so no other thread can take it until {needs} again")
    return found


def _bare(system: AbstractSystem, t: int, anchor: int) -> bool:
    sk = system.skeletons[t]
    return any(not sk.original.cfa.edges[i].protected for i, _ in sk.accesses[anchor])


def _entries(
    system: AbstractSystem, t: int, mu: dict[ThreadState, int], bare: frozenset[int]
) -> list[tuple[Segment, frozenset[int], frozenset[int]]]:
    """The segments that lead from outside into the classes with accesses, with the global masks before and after."""
    grouped: dict[int, tuple[Segment, set[int], set[int]]] = {}
    for source, segment, target in system.args[t].edges():
        if mu.get(source) not in bare and mu.get(target) in bare:
            _, before, after = grouped.setdefault(segment.number, (segment, set(), set()))
            before.add(source[1])
            after.add(target[1])
    return [(s, frozenset(b), frozenset(a)) for s, b, a in grouped.values()]


def _meaning(ab: Abstraction, masks: frozenset[int]) -> str | None:
    """The global predicates' say about these masks; None if they say nothing."""
    formula = cover(masks, tuple(range(ab.width)), ab.all)
    return None if formula == TRUE else formula_words(ab.program, formula)
