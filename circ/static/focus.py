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
        self._quotients = Quotients(program)
        self._steps = [[_touched(e) for e in t.cfa.edges] for t in program.templates]
        self._named = [frozenset(name for s in steps for name in s.named) for steps in self._steps]
        self._accessed = [frozenset(name for s in steps for name in s.accessed) for steps in self._steps]
        self._waits = [self._waiting(n) for n in range(len(program.templates))]
        self._known: dict[object, VariableSet] = {}
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
        kept = VariableSet(frozenset({variable}))
        while True:
            wider = kept
            for n in range(len(self.program.templates)):
                wider |= self._needed_by(n, kept, variable)
            if wider == kept:
                return kept
            kept = wider

    def _needed_by(self, n: int, kept: VariableSet, variable: str) -> VariableSet:
        """What the kept variables need in a template. Looked up if it names no others of them than at another time."""
        template = self.program.templates[n]
        names = kept.of(template.name) & self._named[n]
        asked = frozenset({variable}) & self._accessed[n]
        key = n, names, asked
        if key not in self._known:
            needed = self._needed(n, self._quotients.nodes(n, names, asked), names, asked) if names else frozenset()
            self._known[key] = named_in(self.program, template.name, needed)
        return self._known[key]

    def _needed(self, n: int, node: list[int], kept: frozenset[str], asked: frozenset[str]) -> frozenset[str]:
        """What a template reads where it matters to the kept variables."""
        found: set[str] = set()
        matters = False
        for e, step in zip(self.program.templates[n].cfa.edges, self._steps[n], strict=True):
            touches = not kept.isdisjoint(step.written) or not asked.isdisjoint(step.accessed)
            matters = matters or touches
            if touches or node[e.source] != node[e.target]:
                found.update(step.guards)
            if touches:
                found.update(_sources(e, kept, asked))
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


@dataclass(frozen=True, slots=True)
class _Touched:
    """The names that a step writes, or touches at all, those of its accesses, and those that its guards look at."""

    written: frozenset[str]
    named: frozenset[str]
    accessed: frozenset[str]
    guards: frozenset[str]


def _touched(e: Edge) -> _Touched:
    written, accessed = frozenset(op_writes(e.op)), frozenset(a.variable for a in e.accesses)
    return _Touched(written, written | accessed | frozenset(map(name_of, op_reads(e.op))), accessed, frozenset(_guards(e.op)))


def _guards(op: Op) -> Iterator[str]:
    for part in primitive(op):
        if isinstance(part, Assume):
            yield from variables(part.cond)


def _sources(e: Edge, kept: frozenset[str], asked: frozenset[str]) -> Iterator[str]:
    """What the kept variables that a step writes are computed from, and what tells which cell it accesses."""
    for part in primitive(e.op):
        if isinstance(part, Assign) and name_of(part.target) in kept:
            yield from map(name_of, op_reads(part))
    for a in e.accesses:
        if a.variable in asked:
            yield from index_variables(a.lvalue)
