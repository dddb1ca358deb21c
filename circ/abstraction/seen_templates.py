"""The skeletons of a program's templates as kept variables show them; what looks the same from round to round is made once.

A round of context inference keeps one or two more variables than the one before. Most templates of a large program touch none
of them, and to them nothing has changed.
"""

from __future__ import annotations

from dataclasses import replace

from circ.abstraction.skeleton import Skeleton, skeleton
from circ.views.variable_sets import VariableSet
from circ.views.waits import awaited
from circ.views.weaken import weaken_template
from frontend.program import Program, ThreadTemplate, name_of, op_reads, op_writes


class SeenTemplates:
    """The templates of one program, for one question: `variable` is the one asked about, None if it is not about one."""

    def __init__(self, program: Program, variable: str | None, glue: bool) -> None:
        self.program, self.variable, self.glue = program, variable, glue
        self._waits = awaited(program)
        self._names = [_named(t) for t in program.templates]
        self._weak: list[dict[frozenset[str], ThreadTemplate]] = [{} for _ in program.templates]
        self._made: dict[object, Skeleton] = {}

    def skeletons(self, kept: VariableSet) -> tuple[Skeleton, ...]:
        """One for each template, in order."""
        seen = [kept.of(t.name) & names for t, names in zip(self.program.templates, self._names, strict=True)]
        weak = tuple(self._weakened(n, names) for n, names in enumerate(seen))
        waited_for = awaited(replace(self.program, templates=weak))
        return tuple(self._skeleton(n, names & kept.globals, weak[n], waited_for[weak[n].name]) for n, names in enumerate(seen))

    def _weakened(self, n: int, seen: frozenset[str]) -> ThreadTemplate:
        if seen not in self._weak[n]:
            template = self.program.templates[n]
            self._weak[n][seen] = weaken_template(template, seen, self._waits[template.name], self.variable)
        return self._weak[n][seen]

    def _skeleton(self, n: int, shared: frozenset[str], weak: ThreadTemplate, waits: tuple[frozenset[int], ...]) -> Skeleton:
        key = n, id(weak), shared, waits  # the weakened templates are kept, so that no other one gets their identity
        if key not in self._made:
            self._made[key] = skeleton(self.program.templates[n], weak, shared, self.variable, self.program.race_model, self.glue,
                                       waits)
        return self._made[key]


def _named(template: ThreadTemplate) -> frozenset[str]:
    """Every variable that the template's steps touch."""
    return frozenset(name for e in template.cfa.edges
                     for name in (*op_writes(e.op), *map(name_of, op_reads(e.op)), *(a.variable for a in e.accesses)))
