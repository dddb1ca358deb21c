"""Automata as drawings inside the page: laid out by Graphviz, with a link from each location to its lines. None without Graphviz.

Nothing of a source becomes markup: labels go through Graphviz, which escapes them, and colours are those of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from circ.report.data.automata import DrawnAutomaton, DrawnLocation
from circ.report.excerpts import Excerpts
from circ.report.html.elements import Html, element, joined, text
from frontend.program import Location
from frontend.program.draw import laid_out, quoted

MOST_LINES = 60
"""Of an excerpt below a drawing."""
_TITLES = re.compile(r"<title>.*?</title>\n?|<!--.*?-->\n?", re.DOTALL)
LEGEND = "A thick border: where a thread starts. A double border: inside an atomic section, nobody else runs. "
CONTEXT_LEGEND = LEGEND + "In a location stands what holds of the shared variables while a thread is there, on an arrow what " \
    "the step writes, and what held before it → what holds behind it. Click on a location to see its lines."
THREAD_LEGEND = LEGEND + "Numbers are lines of the source: click on one to see it. On an arrow stands the step."


class Drawings:
    """The drawings of one page, at most so many: those of a large scan would take minutes to lay out."""

    def __init__(self, most: int = 200) -> None:
        self.left = most
        self._made = 0

    def figure(self, automata: Sequence[DrawnAutomaton], legend: str, excerpts: Excerpts) -> Html | None:
        """Drawings with their legend and the lines that they link to; None if there is nothing to draw with."""
        found = []
        self._made += 1
        mark = f"d{self._made}"
        for number, automaton in enumerate(automata):
            if self.left <= 0:
                return None
            self.left -= 1
            svg = laid_out(_dot(automaton, f"{mark}-{number}", mark))
            if svg is None:
                return None
            found.append(element("figure", element("figcaption", text(automaton.title)), _inline(svg, automaton.title)))
        places = dict.fromkeys(place for a in automata for location in a.locations for place in location.places)
        return joined(element("div", *found, class_="drawing"), element("p", text(legend), class_="soft"),
                      _lines(sorted(places), mark, excerpts))


def _inline(svg: str, title: str) -> Html:
    """The drawing without what belongs to a file of its own, and without names that pop up."""
    begin = svg.find("<svg")
    drawing = _TITLES.sub("", svg[begin:])
    return Html(drawing.replace("<svg", f'<svg role="img" aria-label="{text(title)}"', 1))


def _dot(automaton: DrawnAutomaton, name: str, mark: str) -> str:
    lines = [f"digraph {quoted(name)} {{", '  graph [bgcolor="transparent", nodesep=0.5, ranksep=0.6, margin=0];',
             '  node [shape=box, style=rounded, fontname="Helvetica", fontsize=12, margin="0.12,0.06"];',
             '  edge [fontname="Helvetica", fontsize=10, arrowsize=0.7];']
    for n, location in enumerate(automaton.locations):
        lines.append(f"  {n} [{', '.join(_node(name, n, location, mark))}];")
    lines += [f"  {e.source} -> {e.target} [label={quoted(_padded(e.label))}];" for e in automaton.edges]
    return "\n".join([*lines, "}"]) + "\n"


def _padded(label: str) -> str:
    """With a space on each side, so that no text touches its arrow."""
    return "\n".join(f"  {line}  " for line in label.split("\n")) if label else ""


def _node(name: str, number: int, location: DrawnLocation, mark: str) -> Iterator[str]:
    own = f"{number + 1}"
    lines = sorted({place.line for place in location.places})
    where = f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines))}" if lines else ""
    told = [location.label] if location.label.startswith(("line ", "end")) else [own, location.label, where]
    yield f"label={quoted(chr(10).join(filter(None, told)))}"
    yield f"id={quoted(f'{name}-{number}')}"
    if location.start:
        yield "penwidth=2.5"
    if location.atomic:
        yield "peripheries=2"
    if location.places:
        yield f"href={quoted('#' + _anchor(mark, location.places[0]))}"


def _anchor(mark: str, place: Location) -> str:
    """The name of a line on the page: which file it is does not matter, as drawings are of one program."""
    return f"{mark}-{sum(place.file.encode('utf-8', 'replace')) % 9973}-{place.line}"


def _lines(places: Sequence[Location], mark: str, excerpts: Excerpts) -> Html:
    shown = []
    before: Location | None = None
    for place in places[:MOST_LINES]:
        line = excerpts.line(place.file, place.line)
        if line is None:
            continue
        if before is not None and (before.file, before.line + 1) != (place.file, place.line):
            shown.append(element("span", text("  ...")))
        shown.append(element("span", text(f"{place.line:5} {line.rstrip()}"), id=_anchor(mark, place)))
        before = place
    return element("pre", *shown, class_="source") if shown else Html("")
