"""A run as a time line, one column a thread; and one access with the lines around it."""

from __future__ import annotations

from collections.abc import Iterator

from circ.report.excerpts import Excerpts
from circ.report.findings import Finding, FoundAccess, FoundStep
from circ.report.gcc import access_text, step_text
from circ.report.html.elements import Html, element, joined, text
from frontend.program import Location

_AROUND = 3
"""Lines shown before and after the one that is meant."""
_WHOLE = 60
"""Steps up to which a run is shown whole; of a longer one the middle is folded."""
_ENDS = (10, 40)
"""Steps of a longer one that are shown at its beginning and at its end."""


def access(number: int, found: FoundAccess, excerpts: Excerpts) -> Html:
    """What it does, how the thread comes there, and the source."""
    path = [element("li", text(f"calls {name} at {place}")) for name, place in zip(found.calls, found.path, strict=True)]
    started = [element("li", text(f"{found.thread} is started at {place}")) for place in found.started]
    how = element("ul", *started, *path) if path or started else Html("")
    return joined(element("h3", text(f"Access {number}: {access_text(found)}")), how,
                  element("p", text(str(found.location)), class_="place"), source(found.location, excerpts))


def source(place: Location, excerpts: Excerpts) -> Html:
    """The lines around a place, as far as they can be had; its own is marked."""
    lines = [(n, line) for n in range(place.line - _AROUND, place.line + _AROUND + 1)
             if (line := excerpts.line(place.file, n)) is not None]
    if not lines:
        return Html("")
    shown = [element("span", text(f"{n:5}  {line}"), class_="here" if n == place.line else None) for n, line in lines]
    return element("pre", *shown, class_="source")


def timeline(finding: Finding) -> Html:
    """The table of a run, buttons to step through it, and a line for the step at hand."""
    busy = sorted({*(s.thread for s in finding.steps), *(a.number for a in finding.accesses if a.number)})
    names = [element("th", text(f"thread {n} ({finding.threads[n - 1]})")) for n in busy]
    heads = element("tr", element("th", text("step")), *names)
    buttons = element("p", element("button", text("\u25c0 back"), data_by="-1"),
                      element("button", text("next \u25b6"), data_by="1"), element("span", class_="current"), class_="stepper")
    return element("div", element("h3", text("A run that leads there")), buttons,
                   element("table", element("thead", heads), *_bodies(finding, busy)), class_="run", tabindex="0")


def _bodies(finding: Finding, busy: list[int]) -> Iterator[Html]:
    rows = [_row(str(n), s.thread, _step(s), f"{n}. {s.location}: thread {s.thread}: {step_text(s)}", busy)
            for n, s in enumerate(finding.steps, 1)]
    last = [_row("race", a.number, text(access_text(a)), f"race: {a.location}: {access_text(a)}", busy, "step meets")
            for a in finding.accesses if a.number]
    if len(rows) <= _WHOLE:
        yield element("tbody", *rows, *last)
        return
    first, end = rows[:_ENDS[0]], rows[-_ENDS[1]:]
    folded = rows[_ENDS[0]:-_ENDS[1]]
    button = element("button", text(f"show {len(folded)} steps"), class_="unfold")
    yield element("tbody", *first)
    yield element("tbody", element("tr", element("td", button, colspan=str(1 + len(busy)))))
    yield element("tbody", *folded, class_="folded")
    yield element("tbody", *end, *last)


def _row(name: str, thread: int, content: Html, said: str, busy: list[int], sort: str = "step") -> Html:
    cells = [element("td", content if n == thread else Html("")) for n in busy]
    return element("tr", element("td", text(name)), *cells, class_=sort, data_said=said)


def _step(step: FoundStep) -> Html:
    values = ", ".join(f"{v.variable} = {v.value}" for v in step.values)
    shown = element("div", text(values), class_="values") if values else Html("")
    return joined(text(f"{step.location.line}: {step.text}"), shown)
