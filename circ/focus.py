"""Large programs seen through the variables that a question is about, so that they cost no more than small ones.

The static prover is asked about quotients (`frontend.quotient`): first through the locks that are held where the variable is
accessed and the flags of creation and joining, then through what else it would track. Variables that look the same in
this respect share a quotient, and what is known of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from circ.tracking import Survey, Tracked
from circ.verdict import Certificate, Question, Safe
from frontend.cfa import Program, name_of
from frontend.opened import Names
from frontend.quotient import Quotients

LARGE = 400
"""Programs with fewer edges are looked at as they are."""
WORTH = 0.5
"""A quotient with more than this share of the program's edges is not worth it."""


@dataclass(frozen=True, slots=True)
class View:
    """A program seen through some variables; `asked`: whose accesses are to be seen."""

    whole: Program
    program: Program
    kept: Names
    asked: frozenset[str]

    def lifted(self, question: Question, verdict: Safe) -> Safe:
        """A proof about what is seen as one about the whole program."""
        proof = verdict.certificate
        body = {"globals": sorted(self.kept.globals), "locals": [sorted(names) for names in self.kept.locals],
                "asked": sorted(self.asked), "kind": proof.kind, "body": proof.body}
        return replace(verdict, certificate=Certificate(self.whole.fingerprint(), question, "quotient", body))


class Focus:
    """The views of one program; the same view is made once for all variables that share it."""

    def __init__(self, program: Program, survey: Survey) -> None:
        self.program, self.survey = program, survey
        self._quotients = Quotients(program)
        self._alike: list[dict[Names, list[str]]] | None = None
        self._views: dict[tuple[int, Names], View | None] = {}

    def views(self, variable: str) -> Iterator[View]:
        """What the variable may be looked at through, the least first."""
        if self._alike is None:
            self._alike = self._groups()
        seen: set[Names] = set()
        for stage, kept in enumerate(self._stages(variable)):
            if kept in seen:
                continue
            seen.add(kept)
            key = stage, kept
            if key not in self._views:
                self._views[key] = self._view(kept, frozenset(self._alike[stage].get(kept, ())) | {variable})
            view = self._views[key]
            if view is not None and variable in view.asked:
                yield view

    def _view(self, kept: Names, asked: frozenset[str]) -> View | None:
        small = self._quotients.of(kept, asked)
        size = sum(len(t.cfa.edges) for t in small.templates)
        return View(self.program, small, kept, asked) if size <= WORTH * self._quotients.size else None

    def _groups(self) -> list[dict[Names, list[str]]]:
        """For each stage the variables by what they are looked at through."""
        found: list[dict[Names, list[str]]] = [{}, {}]
        for v in self.program.shared:
            for stage, kept in enumerate(self._stages(v.name)):
                found[stage].setdefault(kept, []).append(v.name)
        return found

    def _stages(self, variable: str) -> tuple[Names, Names]:
        levels = list(self.survey.levels(variable))
        return self._names(levels[2]), self._names(levels[-1])

    def _names(self, tracked: Tracked) -> Names:
        return Names(frozenset(map(name_of, tracked.globals)),
                     tuple(frozenset(v.name for v in own) for own in tracked.locals))
