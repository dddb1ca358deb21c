"""Comments that suppress findings, with a reason: `// circ-suppress x: only statistics`.

A suppression holds for its variable in the whole program; `s` also means the fields of `s`, `a` the elements of `a`, and
`asserts` the assertions. Without a reason it is not obeyed, and one that suppresses nothing is told of.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from circ.report.findings import Finding
from frontend.program import FrontendError, Location, read_source
from frontend.records import dataclass

_COMMENT = re.compile(r"(?://|/\*)\s*circ-suppress\b(?P<rest>.*)$")
_SAYS = re.compile(r"\s+(?P<variable>[^\s:]+(?:::[^\s:]+)*)\s*(?::(?!:)\s*(?P<reason>.*?))?\s*(?:\*/.*)?$")


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment of the source. Without a `reason` it is not obeyed."""

    variable: str
    reason: str
    location: Location

    def matches(self, finding: Finding) -> bool:
        return self.names(finding.variable if finding.variable is not None else "asserts")

    def names(self, name: str) -> bool:
        return name == self.variable or name.startswith((f"{self.variable}.", f"{self.variable}["))


def read_suppressions(files: Iterable[str]) -> tuple[Suppression, ...]:
    """Those in the files of a program, in order; a file that cannot be read has none."""
    return tuple(found for file in dict.fromkeys(files) for found in _in_file(file))


def _in_file(file: str) -> Iterator[Suppression]:
    try:
        text = read_source(file, again=True)
    except (FrontendError, OSError):
        return
    for number, line in enumerate(text.split("\n"), 1) if "circ-suppress" in text else ():
        if comment := _COMMENT.search(line):
            says = _SAYS.match(comment["rest"])
            variable, reason = (says["variable"], says["reason"] or "") if says else ("", "")
            yield Suppression(variable, reason, Location(file, number, comment.start() + 1))


def suppressed(finding: Finding, suppressions: Sequence[Suppression]) -> Finding:
    """The finding, marked if it is not a proof and a suppression with a reason is about it."""
    if finding.verdict == "safe" or finding.bug:
        return finding
    reasons = [s.reason for s in suppressions if s.reason and s.matches(finding)]
    return replace(finding, suppressed=reasons[0]) if reasons else finding


def complaints(suppressions: Sequence[Suppression], findings: Sequence[Finding], complete: bool,
               norace: Collection[str] = ()) -> Iterator[str]:
    """A line for each suppression without a reason, and, once all is answered, for each that suppresses nothing.

    `norace`: variables that are not asked about, since they are declared so and a suppression says why.
    """
    for s in suppressions:
        about = [f for f in findings if s.matches(f)]
        if not s.variable or not s.reason:
            yield f"{s.location}: warning: a suppression needs a reason: it is not obeyed (circ-suppress x: why)"
        elif complete and not any(f.suppressed for f in about) and not any(map(s.names, norace)):
            why = "it is proved" if about else "nothing of this name is asked about"
            yield f"{s.location}: warning: this suppresses nothing on '{s.variable}': {why} (remove it)"
