"""Large programs seen through the variables that a question is about, so that they cost no more than small ones.

The static prover is asked about quotients (`circ.views.quotient`): first through the locks that are held where the variable is
accessed and the flags of creation and joining, then through what else it would track. Variables that look the same in
this respect share a quotient, and what is known of it. Programs with handlers and tasks are seen through all that influences
the accesses, whether they are come to and when (`Influence`), by all engines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from circ.static.tracking import Survey
from circ.verdict import Certificate, ProofKind, Question, Safe
from circ.views.quotient import Quotients
from circ.views.variable_sets import VariableSet, from_rows, named_in
from circ.views.weaken import index_variables
from frontend.program import Assign, Assume, Edge, Op, Program, Role, name_of, op_reads, op_writes, primitive, variables
from frontend.records import dataclass

LARGE = 400
"""Programs with fewer edges are looked at as they are."""
STAGES = (0, 1)
WORTH = 0.5
"""A quotient with more than this share of the program's edges is not worth it."""


@dataclass(frozen=True, slots=True)
class FocusedProgram:
    """A program seen through some variables; `asked`: whose accesses are to be seen."""

    whole: Program
    program: Program
    kept: VariableSet
    asked: frozenset[str]

    def lifted(self, question: Question, verdict: Safe) -> Safe:
        """A proof about what is seen as one about the whole program."""
        proof = verdict.certificate
        body = {"globals": sorted(self.kept.globals), "locals": self.kept.rows(self.whole),
                "asked": sorted(self.asked), "kind": proof.kind, "body": proof.body}
        whole = Certificate(self.whole.fingerprint(), question, ProofKind.QUOTIENT, body)
        return replace(verdict, certificate=whole, context=())  # whose places are those of what is seen


class Focus:
    """The views of one program; the same view is made once for all variables that share it."""

    def __init__(self, program: Program, survey: Survey) -> None:
        self.program, self.survey = program, survey
        self._quotients = Quotients(program)
        self._alike: dict[int, dict[VariableSet, list[str]]] = {}
        self._views: dict[tuple[int, VariableSet], FocusedProgram | None] = {}

    def views(self, variable: str) -> Iterator[FocusedProgram]:
        """What the variable may be looked at through, the least first."""
        seen: set[VariableSet] = set()
        for stage in STAGES:
            kept = self._kept(stage, variable)
            if kept in seen:
                continue
            seen.add(kept)
            key = stage, kept
            if key not in self._views:
                self._views[key] = self._view(kept, frozenset(self._groups(stage).get(kept, ())) | {variable})
            view = self._views[key]
            if view is not None and variable in view.asked:
                yield view

    def _view(self, kept: VariableSet, asked: frozenset[str]) -> FocusedProgram | None:
        small = self._quotients.of(kept, asked)
        size = sum(len(t.cfa.edges) for t in small.templates)
        return FocusedProgram(self.program, small, kept, asked) if size <= WORTH * self._quotients.size else None

    def _groups(self, stage: int) -> dict[VariableSet, list[str]]:
        """The variables by what they are looked at through."""
        if stage not in self._alike:
            found = self._alike[stage] = {}
            for v in self.program.shared:
                found.setdefault(self._kept(stage, v.name), []).append(v.name)
        return self._alike[stage]

    def _kept(self, stage: int, variable: str) -> VariableSet:
        tracked = self.survey.levels(variable)[2] if stage == STAGES[0] else self.survey.full(variable)
        return from_rows(self.program, map(name_of, tracked.globals), [[v.name for v in own] for own in tracked.locals])


class Influence:
    """Views of a program through what may influence a variable's accesses: where a step is a choice that matters, what the
    choice depends on; where a thread may have to wait, what it waits for; and what all these are computed from."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._shared = frozenset(v.name for v in program.globals)
        self._quotients = Quotients(program)
        self._waits = [self._waiting(n) for n in range(len(program.templates))]
        self._views: dict[VariableSet, FocusedProgram | None] = {}

    def view(self, variable: str) -> FocusedProgram | None:
        """None if the program is not much larger than what matters."""
        kept = self._closed(variable)
        if kept not in self._views:
            asked = frozenset(v.name for v in self.program.shared if v.name in kept.globals)
            small = self._quotients.of(kept, asked)
            size = sum(len(t.cfa.edges) for t in small.templates)
            self._views[kept] = FocusedProgram(self.program, small, kept, asked) if size <= WORTH * self._quotients.size else None
        return self._views[kept]

    def _closed(self, variable: str) -> VariableSet:
        asked = frozenset({variable})
        kept = VariableSet(asked)
        while True:
            nodes = self._quotients.nodes(kept, asked)
            wider = kept
            for n, template in enumerate(self.program.templates):
                needed = self._needed(n, nodes[n], kept.of(template.name), variable)
                wider |= named_in(self.program, template.name, needed)
            if wider == kept:
                return kept
            kept = wider

    def _needed(self, n: int, node: list[int], kept: frozenset[str], variable: str) -> frozenset[str]:
        """What a template reads where it matters to the kept variables."""
        found: set[str] = set()
        matters = False
        for e in self.program.templates[n].cfa.edges:
            touches = not kept.isdisjoint(op_writes(e.op)) or any(a.variable == variable for a in e.accesses)
            matters = matters or touches
            if touches or node[e.source] != node[e.target]:
                found.update(_guards(e.op))
            if touches:
                found.update(_sources(e, kept, variable))
        return frozenset(found | self._waits[n]) if matters else frozenset()

    def _waiting(self, n: int) -> frozenset[str]:
        """What a template's threads may have to wait for: guards without an alternative, and those of a start."""
        template = self.program.templates[n]
        reactive = template.role in (Role.HANDLER, Role.TASK)
        found: set[str] = set()
        for q, leaving in enumerate(template.cfa.leaving()):
            if len(leaving) == 1 or (reactive and q == template.cfa.start):
                found.update(name for e in leaving for name in _guards(e.op))
        return frozenset(found)


def _guards(op: Op) -> Iterator[str]:
    for part in primitive(op):
        if isinstance(part, Assume):
            yield from variables(part.cond)


def _sources(e: Edge, kept: frozenset[str], variable: str) -> Iterator[str]:
    """What the kept variables that a step writes are computed from, and what tells which cell it accesses."""
    for part in primitive(e.op):
        if isinstance(part, Assign) and name_of(part.target) in kept:
            yield from map(name_of, op_reads(part))
    for a in e.accesses:
        if a.variable == variable:
            yield from index_variables(a.lvalue)
