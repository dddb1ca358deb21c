"""An engine that looks at a program with its atomic sections as single steps (`circ.views.sections_as_steps`), and answers for
the program.

There are no locations inside sections then, so a proof has nothing to say about them: no fact about two threads while
a third is inside one. A trace is told in the program's own steps.
"""

from __future__ import annotations

from dataclasses import replace

from circ.evidence import Choice, ProofKind, Question, Step, Trace
from circ.verdict import Engine, Observer, Options, Technique, Verdict
from circ.views.lifting import lifted
from circ.views.sections_as_steps import Sections, sections_as_steps
from frontend.program import Havoc, Op, Program, primitive


class OnSections:
    """Asks `engine`, of the program as it is where it has no section that can be one step."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._program: Program | None = None
        self._sections: Sections | None = None

    def __call__(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        if not options.on(Technique.SECTIONS):
            return self.engine(program, question, options, observer)
        if program is not self._program:
            self._program, self._sections = program, sections_as_steps(program)
        sections = self._sections
        if sections is None:
            return self.engine(program, question, options, observer)
        verdict = self.engine(sections.program, question, options, observer)
        return lifted(verdict, program, question, ProofKind.SECTIONS, lambda trace: unfolded(program, sections, trace))


def unfolded(program: Program, sections: Sections, trace: Trace) -> Trace:
    """The run in the program's own steps."""
    steps = [part for step in trace.steps for part in _parts(program, sections, trace.threads[step.thread], step)]
    accesses = tuple((thread, sections.paths[trace.threads[thread]][edge][0], at) for thread, edge, at in trace.accesses)
    return replace(trace, program=program.fingerprint(), steps=tuple(steps), accesses=accesses)


def _parts(program: Program, sections: Sections, template: str, step: Step) -> list[Step]:
    edges, choices = program.template(template).cfa.edges, list(step.choices)
    return [Step(step.thread, i, _taken(edges[i].op, choices)) for i in sections.paths[template][step.edge]]


def _taken(op: Op, choices: list[Choice]) -> tuple[Choice, ...]:
    """Takes what the operation leaves open from the front of `choices`."""
    taken: list[Choice] = []
    for part in primitive(op):
        if isinstance(part, Havoc):
            for _ in part.targets:
                taken.append(choices.pop(0))
            for name in part.whole:
                while choices and choices[0].variable == name and choices[0].index is not None:
                    taken.append(choices.pop(0))
    return tuple(taken)
