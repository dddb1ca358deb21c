"""An engine that looks at a large reactive program through what influences the variable asked about (`circ.static.focus`).

What it proves there holds of the program. A race found there need not be one, so the program itself is asked then. Where nothing
is decided, proofs about the program would meet the same difficulties: only races are looked for in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from circ.static.focus import LARGE, Influence
from circ.verdict import Engine, Observer, Options, Part, Question, RaceOn, Refuted, Safe, Technique, Unknown, Verdict
from frontend.program import Program, Role

STEPS = 30_000
"""Of random runs of the program itself, where those of the view, which can do all that it can, have shown nothing."""


class OnLarge:
    """Asks engines that `make` gives: one for the program, one for each view of it, so that they keep what they learn.

    `hunter` looks for races in the program.
    """

    def __init__(self, make: Callable[[], Engine], hunter: Engine) -> None:
        self.make, self.hunter = make, hunter
        self.engine = make()
        self._program: Program | None = None
        self._influence: Influence | None = None
        self._engines: dict[int, Engine] = {}

    def __call__(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        if program is not self._program:
            self._program, self._engines = program, {}
            large = sum(len(t.cfa.edges) for t in program.templates) >= LARGE
            reactive = any(t.role in (Role.HANDLER, Role.TASK) for t in program.templates)
            self._influence = Influence(program) if large and reactive else None
        if self._influence is not None and isinstance(question, RaceOn) and options.on(Technique.SLICE):
            view = self._influence.view(question.variable)
            if view is not None:
                observer("view", {"edges": sum(len(t.cfa.edges) for t in view.program.templates)})
                engine = self._engines.setdefault(id(view.program), self.make())
                seen = engine(view.program, question, options, observer)
                if isinstance(seen, Safe):
                    return view.lifted(question, seen)
                if isinstance(seen, Unknown) and options.part in (Part.ALL, Part.REST):
                    found = self.hunter(program, question, replace(options, max_states=STEPS), observer)
                    return found if isinstance(found, Refuted) else seen
                if isinstance(seen, Unknown):
                    return seen
        return self.engine(program, question, options, observer)
