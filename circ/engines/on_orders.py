"""An engine for programs with weak memory orders: asked about the program without the stale reads that C11 excludes.

The views (`circ.engines.order_views`) are tried in turn. Races are looked for under C11's own rules (`circ.search.weak_runs`),
and in the program itself. Programs without weak orders go straight to the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from circ.engines.order_views import OrderViews
from circ.kernel.doubts import doubt
from circ.verdict import Engine, Observer, Options, Part, Question, RaceOn, Refuted, Unknown, Verdict
from circ.views.memory_orders.orders import is_weak
from frontend.program import Program, RaceModel


class OnOrders:
    """Asks engines that `make` gives: one for the program, one for each view of it. `hunter` looks for races of C11."""

    def __init__(self, make: Callable[[], Engine], hunter: Engine) -> None:
        self.make, self.hunter = make, hunter
        self.engine = make()
        self._program: Program | None = None
        self._weak = False
        self._views: OrderViews | None = None

    def __call__(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        if program is not self._program:
            self._program = program
            self._weak = is_weak(program) and program.race_model is RaceModel.C11
            self._views = OrderViews(program, self.make) if self._weak else None
        if not self._weak or not isinstance(question, RaceOn):
            return self.engine(program, question, options, observer)
        verdict: Verdict = Unknown("not asked")
        parts = (Part.PROVE, Part.SEARCH, Part.RUNS, Part.FURTHER, Part.REST)
        for part in parts if options.part is Part.ALL else (options.part,):
            verdict = self._part(program, question, replace(options, part=part), observer)
            if not isinstance(verdict, Unknown):
                return verdict
        return verdict

    def _part(self, program: Program, question: RaceOn, options: Options, observer: Observer) -> Verdict:
        """One part of the work: on the program, then on each view of it."""
        verdict: Verdict
        if options.part is Part.SEARCH:
            verdict = self.hunter(program, question, options, observer)
            if isinstance(verdict, Refuted):
                return verdict
        verdict = _sure(program, self.engine(program, question, options, observer))
        if not isinstance(verdict, Unknown) or options.part is Part.RUNS:
            return verdict  # runs of a view show no more than those of the program
        assert self._views is not None, "there are weak orders"
        for view in self._views.of(question.variable, options.part):
            observer("view", {"focus": view.focus or "seq_cst"})
            proof = view.prove(question, options, observer)
            if proof is not None:
                return proof
        return verdict


def _sure(program: Program, verdict: Verdict) -> Verdict:
    """The verdict, unless it is a run that depends on a stale read or on something else that is in doubt."""
    reason = doubt(program, verdict.trace) if isinstance(verdict, Refuted) else None
    return verdict if reason is None else Unknown(
        f"a run was found that may not be one of the program: {reason}", statistics=verdict.statistics)
