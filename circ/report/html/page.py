"""The page: an index with filters, a section for each program, a folded part for each finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.resources import files as resources

from circ.report.excerpts import Excerpts
from circ.report.findings import Finding
from circ.report.html.drawing import CONTEXT_LEGEND, THREAD_LEGEND, Drawings
from circ.report.html.elements import Html, element, joined, text
from circ.report.html.timeline import access, timeline
from circ.report.json import circ_version
from circ.report.rows import Row, Scanned, verdict_counts
from circ.report.summary import WORDS, plural
from frontend.program import displayed


def html_page(files: Sequence[Scanned], finished: bool) -> str:
    """One document for all files; not `finished`: the run was interrupted."""
    own, drawings = resources("circ.report.html"), Drawings()
    title = f"circ: {verdict_counts(files)}"
    head = joined(
        Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width">'), element("title", text(title)),
        Html(f"<style>\n{own.joinpath('style.css').read_text()}</style>"))
    body = joined(
        element("h1", text("Races")),
        element("p", text(f"{verdict_counts(files)}; {plural(len(files), 'program')}; circ {circ_version()}"), class_="soft"),
        Html("") if finished else element("p", text("The run was interrupted: what is known by then."), class_="error"),
        _filters(files), *(_program(f, drawings) for f in files),
        Html(f"<script>\n{own.joinpath('script.js').read_text()}</script>"))
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def _filters(files: Sequence[Scanned]) -> Html:
    counts = Counter(row.verdict for f in files for row in f.rows)
    boxes = [element("label", Html(f'<input type="checkbox" value="{text(word)}" checked> '), text(f"{word} ({counts[word]})"))
             for word in WORDS if counts[word]]
    search = Html('<input type="search" placeholder="file, variable, text" aria-label="filter">')
    return element("nav", *boxes, search, element("span", id="count", class_="soft"))


def _program(scanned: Scanned, drawings: Drawings) -> Html:
    head = scanned.head
    excerpts = Excerpts((head.file, *head.files))
    facts = "; ".join(part for part in (head.models, ", ".join(head.threads)) if part)
    why = head.unread
    return element(
        "section", element("h2", text(displayed(head.file))), element("p", text(facts), class_="soft"),
        element("p", text(why), class_="error") if why else Html(""),
        *(element("p", text(f"warning: {w}")) for w in head.warnings),
        *(_finding(row.finding, excerpts, drawings) for row in _worst_first(scanned)), _threads(scanned, excerpts, drawings),
        class_="program", data_file=head.file.lower())


def _threads(scanned: Scanned, excerpts: Excerpts, drawings: Drawings) -> Html:
    """The automata of the threads, where a proof speaks of them."""
    if not any(row.finding.automata for row in scanned.rows) or not scanned.head.automata:
        return Html("")
    figure = drawings.figure(scanned.head.automata, THREAD_LEGEND, excerpts)
    if figure is None:
        return Html("")
    return element("details", element("summary", text("The automata of the threads")), element("div", figure), class_="threads")


def _worst_first(scanned: Scanned) -> list[Row]:
    order = {"race": 0, "violated": 0, "possible race": 1, "unknown": 2, "safe": 3}
    return sorted(scanned.rows, key=lambda row: (not row.finding.counts, order[row.verdict]))


def _finding(finding: Finding, excerpts: Excerpts, drawings: Drawings) -> Html:
    accepted = f" (suppressed: {finding.suppressed})" if finding.suppressed else " (in the baseline)" if finding.known else ""
    summary = element("summary", element("span", text(finding.verdict), class_="badge"), Html(" "),
                      element("code", text(finding.subject)), text(f"{accepted}: {finding.message}"), Html(" "),
                      element("span", text(str(finding.place)), class_="place"))
    said = f"{finding.place} {finding.subject} {finding.message}".lower()
    body = element("div", *_body(finding, excerpts, drawings))
    return element("details", summary, body, data_verdict=finding.verdict, data_text=said,
                   class_=f"finding {finding.verdict.split()[0]}")


def _body(finding: Finding, excerpts: Excerpts, drawings: Drawings) -> Iterator[Html]:
    for number, found in enumerate(finding.accesses, 1):
        yield access(number, found, excerpts)
    if finding.steps or finding.verdict == "violated":
        yield timeline(finding)
    if finding.why:
        title = "Why" if finding.verdict == "safe" else "What is known"
        yield joined(element("h3", text(title)), _listed(finding.why))
    if finding.advice:
        yield element("p", text(f"You can: {finding.advice}"))
    for title, lines in (("Predicates of the proof", finding.predicates), ("Rests on", finding.assuming),
                         ("Warnings", finding.warnings)):
        if lines:
            yield joined(element("h3", text(title)), _listed(lines))
    if finding.context:
        yield element("h3", text("What one thread needs to know of the others"))
        yield from _context(finding, excerpts, drawings)
    yield element("p", text(f"By {finding.engine or 'nobody'}; fingerprint {finding.fingerprint}"), class_="soft")


def _context(finding: Finding, excerpts: Excerpts, drawings: Drawings) -> Iterator[Html]:
    """The context automata as drawings, with the words folded below; as words alone where they cannot be drawn."""
    figure = drawings.figure(finding.automata, CONTEXT_LEGEND, excerpts) if finding.automata else None
    words = element("pre", text("\n".join(finding.context)), class_="source")
    if figure is None:
        yield words
    else:
        yield figure
        yield element("details", element("summary", text("The same in words")), element("div", words))


def _listed(lines: Sequence[str]) -> Html:
    return element("ul", *(element("li", text(line)) for line in lines))
