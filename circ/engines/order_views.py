"""The views of a program with weak memory orders that engines are asked about, and what a proof about each says of the program.

Those of `orders` (`circ.views.memory_orders`) differ in their focus, the one variable whose coherence a proof may use; they cost
little. Those of `happens_before` also follow what one access of the past happens before, so that reads of the focus are exact
whatever their order; atomic variables beside it that are only loaded and stored may be taken for plain, with a proof for each.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol

from circ.engines.order_words import flags_beside, transfers
from circ.kernel.outcome import Accepted
from circ.kernel.syntactic import RACE_KINDS, check_syntactic
from circ.verdict import Certificate, Engine, Observer, Options, Part, ProofKind, RaceOn, Refuted, Safe
from circ.views.memory_orders.fenced import loads_and_stores_only
from circ.views.memory_orders.happens_before import PAST, is_focus, mixed, only_threads, traceable, with_past
from circ.views.memory_orders.orders import ordered
from circ.views.memory_orders.reads import focusable
from frontend.program import FENCE, AccessKind, Program
from frontend.records import dataclass

MOST_VIEWS = 6
"""Of one question, of each sort."""


class OrderView(Protocol):
    """A view, and engines that are asked about it part by part."""

    focus: str | None

    def prove(self, question: RaceOn, options: Options, observer: Observer) -> Safe | None:
        """A proof about the program, if there is one about the view."""


class OrderViews:
    """The views of one program, made when they are asked for and kept. `make` gives an engine for each."""

    def __init__(self, program: Program, make: Callable[[], Engine]) -> None:
        self.program, self.make = program, make
        self._stale: dict[tuple[str | None, bool], OrderView] = {}
        self._past: dict[tuple[str | None, tuple[str, ...], str], OrderView] = {}

    def of(self, variable: str, part: Part) -> Iterator[OrderView]:
        """Views for a question about races on the variable, in the order in which they are asked about.

        Those with happens-before as data are for more than cheap proofs; they come first if an exhaustive search of them may do.
        """
        foci = _foci(self.program, variable)
        traced = part is not Part.PROVE and only_threads(self.program) and (
            traceable(self.program, variable) or mixed(self.program, variable))
        views = [self._without_stale(foci), *([self._with_past(foci, variable)] if traced else [])]
        if part in (Part.SEARCH, Part.FURTHER) and all(t.count is not None for t in self.program.templates):
            views.reverse()
        return itertools.chain.from_iterable(views)

    def _without_stale(self, foci: list[str]) -> Iterator[OrderView]:
        keys: list[tuple[str | None, bool]] = [(None, False)]
        for x in foci:
            keys += [(x, False), *([(x, True)] if _relaxed(self.program, x) else [])]
        for key in keys[:MOST_VIEWS]:
            if key not in self._stale:
                self._stale[key] = _WithoutStale(self.program, *key, ordered(self.program, *key), self.make())
            yield self._stale[key]

    def _with_past(self, foci: list[str], variable: str) -> Iterator[OrderView]:
        """With each focus, and with nothing or all that can be beside it taken for plain."""
        keys: dict[tuple[str | None, tuple[str, ...]], None] = {}
        choices: list[str | None] = [*([FENCE] if is_focus(self.program, FENCE) else []), *foci, None]
        for focus in [variable] if mixed(self.program, variable) else choices:
            others = tuple(y for y in foci if y != focus and loads_and_stores_only(self.program, y))
            keys |= dict.fromkeys([(focus, ()), (focus, others)])
        for focus, plain in list(keys)[:MOST_VIEWS]:
            if (focus, plain, variable) not in self._past:
                self._past[focus, plain, variable] = _WithPast(self.program, focus, plain, self.make)
            yield self._past[focus, plain, variable]


@dataclass(slots=True)
class _WithoutStale:
    """The program without the stale reads that its orders exclude, seen with one focus."""

    origin: Program
    focus: str | None
    plain: bool
    program: Program
    engine: Engine

    def prove(self, question: RaceOn, options: Options, observer: Observer) -> Safe | None:
        proof = self.engine(self.program, question, options, observer)
        if not isinstance(proof, Safe):
            return None
        proofs = [proof.certificate]
        if self.plain:
            assert self.focus is not None
            second = self._plainly(RaceOn(self.focus), options, observer)
            if second is None:
                return None
            proofs.append(second)
        why = (*transfers(self.origin, question.variable, [*flags_beside(self.origin, self.focus), self.focus]), *proof.why)
        return _about(self.origin, question, ProofKind.ORDERS, self.focus, self.plain, proofs, replace(proof, why=why))

    def _plainly(self, question: RaceOn, options: Options, observer: Observer) -> Certificate | None:
        """That relaxed loads of the focus, which count as plain, do not race either."""
        for kind in RACE_KINDS:
            certificate = Certificate(self.program.fingerprint(), question, kind, {})
            if isinstance(check_syntactic(self.program, question, certificate), Accepted):
                return certificate
        verdict = self.engine(self.program, question, replace(options, part=Part.ALL), observer)
        return verdict.certificate if isinstance(verdict, Safe) else None


class _WithPast:
    """The program in which happens-before is data, once for each variable whose races are asked about."""

    def __init__(self, origin: Program, focus: str | None, plain: tuple[str, ...], make: Callable[[], Engine]) -> None:
        self.origin, self.focus, self.plain, self.make = origin, focus, plain, make
        self._programs: dict[str, tuple[Program, Engine]] = {}
        self._proofs: dict[str, Safe] = {}
        self._hopeless = False

    def prove(self, question: RaceOn, options: Options, observer: Observer) -> Safe | None:
        proofs = []
        for asked in (question.variable, *self.plain):
            if self._hopeless:
                return None
            if asked not in self._programs:
                self._programs[asked] = with_past(self.origin, self.focus, self.plain, asked), self.make()
            if asked not in self._proofs:
                program, engine = self._programs[asked]
                verdict = engine(program, RaceOn(PAST.name), options, observer)
                self._hopeless = isinstance(verdict, Refuted)
                if not isinstance(verdict, Safe):
                    return None
                self._proofs[asked] = verdict
            proofs.append(self._proofs[asked].certificate)
        shown = self.origin.variable(question.variable).shown or question.variable
        named = [*flags_beside(self.origin, self.focus, self.plain), *self.plain]
        why = (*transfers(self.origin, question.variable, [*named, self.focus] if self.focus else named or [None]),
               f"followed step by step: whichever access to '{shown}' comes first happens before each one by another thread that "
               "conflicts with it")
        first = replace(self._proofs[question.variable], why=why)
        return _about(self.origin, question, ProofKind.HAPPENS_BEFORE, self.focus, self.plain, proofs, first)


def _about(program: Program, question: RaceOn, kind: ProofKind, focus: str | None, plain: object, proofs: list[Certificate],
           first: Safe) -> Safe:
    """The proofs about a view as one about the program."""
    body = {"focus": focus, "plain": plain, "proofs": [{"kind": p.kind, "body": p.body} for p in proofs]}
    return replace(first, certificate=Certificate(program.fingerprint(), question, kind, body))


# --------------------------------------------------------------------------------------------------- foci
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
