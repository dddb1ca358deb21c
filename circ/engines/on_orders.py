"""An engine for programs with weak memory orders: asked about the program without the stale reads that C11 excludes.

The views of `circ.views.orders` differ in their focus, the one variable whose coherence a proof may use. They are tried in turn:
first what is sequentially consistent, then each atomic scalar that a thread which accesses the variable accesses, too. Races are
looked for under C11's own rules (`circ.search.weak_runs`), and in the program itself. Programs without weak orders go straight to
the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from circ.kernel.doubts import doubt
from circ.kernel.outcome import Accepted
from circ.kernel.syntactic import RACE_KINDS, check_syntactic
from circ.verdict import (
    Certificate,
    Engine,
    Observer,
    Options,
    Part,
    ProofKind,
    Question,
    RaceOn,
    Refuted,
    Safe,
    Unknown,
    Verdict,
)
from circ.views.orders import focusable, is_weak, ordered
from frontend.program import AccessKind, Program, RaceModel

MOST_VIEWS = 6
"""Of one question."""


@dataclass(slots=True)
class _View:
    """The program with one focus, and the engine that is asked about it."""

    focus: str | None
    plain: bool
    program: Program
    engine: Engine


class OnOrders:
    """Asks engines that `make` gives: one for the program, one for each view of it. `hunter` looks for races of C11."""

    def __init__(self, make: Callable[[], Engine], hunter: Engine) -> None:
        self.make, self.hunter = make, hunter
        self.engine = make()
        self._program: Program | None = None
        self._weak = False
        self._views: dict[tuple[str | None, bool], _View] = {}

    def __call__(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        if program is not self._program:
            self._program, self._views = program, {}
            self._weak = is_weak(program) and program.race_model is RaceModel.C11
        if not self._weak or not isinstance(question, RaceOn):
            return self.engine(program, question, options, observer)
        verdict: Verdict = Unknown("not asked")
        for part in (Part.PROVE, Part.SEARCH, Part.REST) if options.part is Part.ALL else (options.part,):
            verdict = self._part(program, question, replace(options, part=part), observer)
            if not isinstance(verdict, Unknown):
                return verdict
        return verdict

    def _part(self, program: Program, question: RaceOn, options: Options, observer: Observer) -> Verdict:
        """One part of the work: on the program, then on each view of it."""
        if options.part is Part.SEARCH:
            found = self.hunter(program, question, options, observer)
            if isinstance(found, Refuted):
                return found
        verdict = _sure(program, self.engine(program, question, options, observer))
        if not isinstance(verdict, Unknown):
            return verdict
        for view in self._all_views(program, question.variable):
            observer("view", {"focus": view.focus or "seq_cst"})
            proof = view.engine(view.program, question, options, observer)
            if isinstance(proof, Safe):
                lifted = self._lifted(program, question, view, proof, options, observer)
                if lifted is not None:
                    return lifted
        return verdict

    def _all_views(self, program: Program, variable: str) -> Iterator[_View]:
        keys: list[tuple[str | None, bool]] = [(None, False)]
        for focus in _foci(program, variable):
            keys += [(focus, False), *([(focus, True)] if _relaxed(program, focus) else [])]
        for key in keys[:MOST_VIEWS]:
            if key not in self._views:
                self._views[key] = _View(*key, ordered(program, *key), self.make())
            yield self._views[key]

    def _lifted(self, program: Program, question: RaceOn, view: _View, proof: Safe, options: Options,
                observer: Observer) -> Safe | None:
        """The proof as one about the program; with relaxed loads that count as plain, they must not race either."""
        proofs = [proof.certificate]
        if view.plain:
            assert view.focus is not None
            second = self._plainly(view, RaceOn(view.focus), options, observer)
            if second is None:
                return None
            proofs.append(second)
        body = {"focus": view.focus, "plain": view.plain, "proofs": [{"kind": p.kind, "body": p.body} for p in proofs]}
        why = (*_transfers(program, view.focus), *proof.why)
        return replace(proof, certificate=Certificate(program.fingerprint(), question, ProofKind.ORDERS, body), why=why)

    def _plainly(self, view: _View, question: RaceOn, options: Options, observer: Observer) -> Certificate | None:
        for kind in RACE_KINDS:
            certificate = Certificate(view.program.fingerprint(), question, kind, {})
            if isinstance(check_syntactic(view.program, question, certificate), Accepted):
                return certificate
        verdict = view.engine(view.program, question, replace(options, part=Part.ALL), observer)
        return verdict.certificate if isinstance(verdict, Safe) else None


def _sure(program: Program, verdict: Verdict) -> Verdict:
    """The verdict, unless it is a run that depends on a stale read or on something else that is in doubt."""
    reason = doubt(program, verdict.trace) if isinstance(verdict, Refuted) else None
    return verdict if reason is None else Unknown(
        f"a run was found that may not be one of the program: {reason}", statistics=verdict.statistics)


def _foci(program: Program, variable: str) -> list[str]:
    """Atomic scalars that threads access which access the variable, those that most of them access first."""
    threads = {t for t, _, _ in program.accesses.get(variable, ())}
    found: dict[str, int] = {}
    for name, accesses in program.accesses.items():
        if name != variable and focusable(program, name):
            found[name] = len({t for t, _, _ in accesses} & threads)
    return sorted((n for n in found if found[n]), key=lambda n: -found[n])


def _relaxed(program: Program, focus: str) -> bool:
    """Whether some load of it does not acquire."""
    return any(a.kind is AccessKind.ATOMIC and not a.write and not e.protected and not a.order.acquires
               for _, e, a in program.accesses[focus])


def _transfers(program: Program, focus: str | None) -> Iterator[str]:
    """What hands over what, in words."""
    if focus is None:
        yield "the sequentially consistent accesses have one order; values that weaker ones read are taken for anything"
        return
    shown = program.variable(focus).shown or focus
    found = [(e, a) for _, e, a in program.accesses[focus] if a.kind is AccessKind.ATOMIC and not e.stale]
    stores = sorted({a.location.line for _, a in found if a.write and a.order.releases})
    loads = sorted({a.location.line for _, a in found if not a.write and a.order.acquires})
    release = f"releasing stores of '{shown}'{_lines(stores)}" if stores else f"stores of '{shown}' behind fences"
    acquire = f"acquiring reads of them{_lines(loads)}" if loads else "reads of them before fences"
    yield f"memory orders: what a thread did before its {release} is seen after {acquire}"


def _lines(numbers: list[int]) -> str:
    return f" (line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))})"
