"""Automata that a report draws, as plain data: the context automata of a proof, and those of the threads themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from circ.verdict import ContextAutomaton, ContextEdge
from frontend.program import NOWHERE, Assume, Const, Edge, Expr, Location, Program, ThreadTemplate, primitive
from frontend.program.display import DisplayNames, formula_words, text_in_words
from frontend.records import dataclass

MOST_LOCATIONS = 40
"""A larger automaton is no picture that anybody would look at."""
MOST_LINES = 6
"""Of one location."""
LONGEST = 60


@dataclass(frozen=True, slots=True)
class DrawnLocation:
    """A location: what stands in it, and the lines of the source that it is at."""

    label: str
    places: tuple[Location, ...] = ()
    start: bool = False
    atomic: bool = False


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    source: int
    target: int
    label: str


@dataclass(frozen=True, slots=True)
class DrawnAutomaton:
    title: str
    locations: tuple[DrawnLocation, ...]
    edges: tuple[DrawnEdge, ...]


# --------------------------------------------------------------------------------------------------- contexts
def drawn_context(program: Program, context: ContextAutomaton) -> DrawnAutomaton | None:
    """What the others need to know of a template's threads; None if it is too large for a picture."""
    known = {t.name: t for t in program.templates}
    if len(context.locations) > MOST_LOCATIONS:
        return None
    template = known.get(context.template, program.templates[0])
    names, called = DisplayNames(program, template), template.called
    lines = _lines(template) if context.template in known else {}
    places = [tuple(sorted({lines[q] for q in location.places if q in lines}))[:MOST_LINES] for location in context.locations]
    locations = tuple(DrawnLocation(_meaning(program, location.holds), at, location.start, location.atomic)
                      for location, at in zip(context.locations, places, strict=True))
    edges = dict.fromkeys(DrawnEdge(e.source, e.target, _change(program, names, e)) for e in context.edges if _tells(e))
    return DrawnAutomaton(f"{called}, as the others see it", locations, tuple(edges))


_OTHERS = re.compile(r"(?:; )?\[all [^\]]* at \{[^}]*\}\]")
"""That handlers are at their starts, which says nothing to people."""


def _lines(template: ThreadTemplate) -> dict[int, Location]:
    """Where each location stands, by its line."""
    return {q: Location(place.file, place.line) for q, place in template.cfa.places.items() if place != NOWHERE}


def _tells(edge: ContextEdge) -> bool:
    """Whether a step is worth an arrow: one that stays where it is and changes nothing is not."""
    return edge.source != edge.target or bool(edge.writes)


def _change(program: Program, names: DisplayNames, edge: ContextEdge) -> str:
    needs, makes = _meaning(program, edge.needs), _meaning(program, edge.makes)
    written = [names.variable(w) for w in edge.writes if not w.startswith("<")]
    writes = f"writes {_short(', '.join(written))}" if written else ""
    change = "" if needs == makes else f"{needs} → {makes}"
    return "\n".join(part for part in (writes, change) if part)


def _meaning(program: Program, e: Expr) -> str:
    return ("anything" if e.value else "never") if isinstance(e, Const) else _short(formula_words(program, e))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST - 1]}…"


# --------------------------------------------------------------------------------------------------- threads
def drawn_threads(program: Program) -> tuple[DrawnAutomaton, ...]:
    """The automata of the threads that are small enough for a picture; only what a run can come to is there."""
    return tuple(_thread(program, t) for t in program.templates
                 if len(t.cfa.behind([t.cfa.start])) <= MOST_LOCATIONS)


def _step(edge: Edge, names: DisplayNames) -> str:
    """A condition as it holds, a read as one, else what the user wrote."""
    text = " ".join(edge.text.split())
    if all(isinstance(part, Assume) for part in primitive(edge.op)):
        said = names.op(edge.op)
        return f"{text}?" if text and "%" in said else said
    read = [names.cell(a) for a in edge.accesses if not a.write]
    return f"reads {text}" if text in read else text or names.op(edge.op)


def _thread(program: Program, template: ThreadTemplate) -> DrawnAutomaton:
    cfa, names = template.cfa, DisplayNames(program, template)
    reached = sorted(cfa.behind([cfa.start]))
    number = {q: n for n, q in enumerate(reached)}
    lines = _lines(template)

    def location(q: int) -> DrawnLocation:
        return DrawnLocation(f"line {lines[q].line}" if q in lines else "end", (lines[q],) if q in lines else (),
                             q == cfa.start, q in cfa.atomic)

    def edges() -> Iterator[DrawnEdge]:
        for e in cfa.edges:
            if e.source in number:
                said = text_in_words(program, _OTHERS.sub("", _step(e, names)))
                yield DrawnEdge(number[e.source], number[e.target], _short(said))

    return DrawnAutomaton(f"{template.role.value} {template.called}", tuple(map(location, reached)), tuple(edges()))
