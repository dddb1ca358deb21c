"""Workflow commands of GitHub Actions: each finding becomes an annotation of the line it is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from circ.report.findings import Finding
from circ.report.formats.paths import from_here
from circ.report.gcc import access_text
from circ.report.rows import Scanned
from frontend.program import Location

_COMMAND = {"race": "error", "violated": "error", "possible race": "warning", "unknown": "notice"}
_TITLE = {"race": "Race", "violated": "Violated assertion", "possible race": "Possible race", "unknown": "Undecided"}


def workflow_commands(files: Sequence[Scanned]) -> str:
    """One line for each finding that counts, and for each file that could not be read."""
    return "".join(f"{line}\n" for scanned in files for line in _lines(scanned))


def _lines(scanned: Scanned) -> Iterator[str]:
    if scanned.head.unread:
        yield _command("error", scanned.head.unread_at, "Not readable", scanned.head.unread)
    for row in scanned.rows:
        f = row.finding
        if f.verdict != "safe" and f.counts:
            title = f"{_TITLE[f.verdict]} on {f.variable}" if f.variable else _TITLE[f.verdict]
            yield _command(_COMMAND[f.verdict], f.place, title, _message(f))


def _message(finding: Finding) -> str:
    others = [f"{a.location}: {access_text(a)}" for a in finding.accesses]
    return "\n".join([finding.message, *others])


def _command(name: str, place: Location, title: str, text: str) -> str:
    column = f",col={place.column}" if place.column else ""
    where = f"file={_property(from_here(place.file))},line={max(1, place.line)}{column}"
    return f"::{name} {where},title={_property(title)}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
