"""The kernel's word on a proof of safety: bound to the program and the question, then checked by its kind.

`pairs` is an inductive invariant, checked by one-step questions to the solver (`circ.kernel.pairs`: the obligations and
why they suffice): no fixpoint, no engine. `triples` is the same about three threads (`circ.kernel.triples`). `reachable` is
a set of explicit states (`circ.kernel.reachable`). The other kinds are checked by looking at the program
(`circ.kernel.syntactic`). Most answers of `auto` are proved so. A kernel knows further kinds only if it is given them
(`circ.kernel.further_kinds`, and `circ.kernel.other_kinds` for the engines that emit those).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from circ.evidence import Assertions, AtomicityOf, Certificate, ProofKind, Question, RaceOn, UserQuestion
from circ.kernel.outcome import Accepted, Malformed, Outcome, Refused
from circ.kernel.pair_bodies import SLOTS, read_body, read_triples
from circ.kernel.reachable import check_reachable
from circ.kernel.syntactic import check_syntactic
from circ.views.copies import one_by_one
from circ.views.memory_orders.fenced import loads_and_stores_only
from circ.views.memory_orders.happens_before import PAST, is_focus, may_ask, only_threads, with_past
from circ.views.memory_orders.orders import is_weak, ordered
from circ.views.memory_orders.reads import focusable
from circ.views.quotient import Quotients
from circ.views.sections_as_steps import sections_as_steps
from circ.views.variable_sets import from_rows
from frontend.program import Assumption, Program, RaceModel

if TYPE_CHECKING:
    from circ.kernel.pairs import PairsCheck

OUTERMOST = (ProofKind.ORDERS, ProofKind.HAPPENS_BEFORE)
"""Kinds that look at all atomic accesses of the program, so that they are not inside a proof of another kind."""
MOST_PROOFS = 16
"""By pairs, that are kept at once."""

_BEGUN: dict[tuple[str, str], PairsCheck] = {}
"""What this process has checked of such proofs, by program and text. An engine that asks the kernel about a guess and whoever
confirms its answer have the same proof checked: it is done once. Only the kernel puts anything here."""

__all__ = ["Accepted", "Kernel", "OtherKinds", "Outcome", "Refused", "check_certificate", "flaw_of"]


class OtherKinds(Protocol):
    """Kinds of proof that this module does not know."""

    def __call__(self, program: Program, question: UserQuestion, certificate: Certificate) -> Outcome | None:
        """Whether the certificate proves the answer "safe"; None if it is of none of these kinds."""


def check_certificate(program: Program, question: UserQuestion, certificate: Certificate,
                      others: OtherKinds | None = None) -> Outcome:
    """Whether the certificate proves that the answer to `question` about `program` is "safe"."""
    return Kernel(program, others).check(question, certificate)


class Kernel:
    """Checks certificates about one program; what they have in common is worked out once."""

    def __init__(self, program: Program, others: OtherKinds | None = None) -> None:
        self.program = program
        self._others = others
        self._flaw = flaw_of(program)
        self._quotients: Quotients | None = None
        self._small: dict[int, Kernel] = {}
        self._read: tuple[Mapping[str, Any], PairsCheck] | None = None
        self._globals = frozenset(v.name for v in program.globals)
        self._locals = tuple(frozenset(v.name for v in t.locals) for t in program.templates)

    def check(self, question: UserQuestion, certificate: Certificate) -> Outcome:
        """Whether the certificate proves that the answer to the question about the program is "safe"."""
        if certificate.program != self.program.fingerprint():
            return Refused("program", "", "the certificate is about another program, or the same under other options")
        if certificate.question != question:
            return Refused("question", "", f"the certificate is about {certificate.question}")
        if not isinstance(question, Assertions) and question.variable not in self._globals:
            return Refused("program", "", f"no global {question.variable!r}")
        if self._flaw is not None:
            return Refused("program", "", self._flaw)
        if self.program.relies and question == Assertions() and certificate.kind != ProofKind.ASSUME_GUARANTEE:
            return Refused("program", "", "a proof of this kind says nothing about what threads assume of each other")
        other = None if self._others is None else self._others(self.program, question, certificate)
        return self._by_kind(question, certificate) if other is None else other

    def _by_kind(self, question: UserQuestion, certificate: Certificate) -> Outcome:
        if isinstance(question, AtomicityOf):
            return Refused("format", "", f"no certificate kind {str(certificate.kind)!r} for this question")
        match certificate.kind:
            case ProofKind.ONE_BY_ONE | ProofKind.SECTIONS:
                return self._about_another(question, certificate)
            case ProofKind.QUOTIENT:
                return self._quotient(question, certificate)
            case ProofKind.ORDERS:
                return self._orders(question, certificate.body)
            case ProofKind.HAPPENS_BEFORE:
                return self._happens_before(question, certificate.body)
            case ProofKind.REACHABLE:
                return check_reachable(self.program, certificate)
            case kind if kind not in (ProofKind.PAIRS, ProofKind.TRIPLES):
                return check_syntactic(self.program, question, certificate)
        from circ.smt import Inexpressible

        try:
            return self._pairs_check(certificate.kind, certificate.body).outcome(question)
        except Malformed as error:
            return Refused("format", "", str(error))
        except Inexpressible as error:
            return Refused("format", "", f"{error} has no exact meaning for mathematical integers")

    def _pairs_check(self, kind: str, body: Mapping[str, Any]) -> PairsCheck:
        """Proofs that say the same of a program, whoever asks and about whichever variable, are one proof: it is inductive once
        and for all. That the program is the same is seen by comparing it, not believed of its fingerprint."""
        from circ.kernel.pairs import PairsCheck
        from circ.kernel.triples import TriplesCheck

        if self._read is not None and self._read[0] is body:
            return self._read[1]
        try:
            text = json.dumps([kind, dict(body)], sort_keys=True)
        except (TypeError, ValueError):
            raise Malformed("the body is not plain JSON data") from None
        key = self.program.fingerprint(), text
        found = _BEGUN.pop(key, None)
        if found is None or (found.program is not self.program and found.program != self.program):
            found = (TriplesCheck(self.program, read_triples(self.program, body)) if kind == ProofKind.TRIPLES
                     else PairsCheck(self.program, read_body(self.program, body)))
        _BEGUN[key] = found  # the last of all, so that what nobody has asked for longest goes first
        while len(_BEGUN) > MOST_PROOFS:
            del _BEGUN[next(iter(_BEGUN))]
        self._read = body, found
        return found

    def _quotient(self, question: Question, certificate: Certificate) -> Outcome:
        """A proof about the program seen through some of its variables, which can do all that it can (`circ.views.quotient`)."""
        body = certificate.body
        if set(body) != {"globals", "locals", "asked", "kind", "body"}:
            return Refused("format", "", "the body has `globals`, `locals`, `asked`, and `kind` and `body` of a proof")
        own = body["locals"]
        if not (_are_names(body["globals"], self._globals) and _are_names(body["asked"], self._globals)
                and isinstance(own, list | tuple) and len(own) == len(self._locals)
                and all(_are_names(o, known) for o, known in zip(own, self._locals, strict=True))):
            return Refused("format", "", "`globals`, `asked` and, for each template, `locals` are lists of names")
        if not _is_proof(body) or body["kind"] in (ProofKind.QUOTIENT, *OUTERMOST):
            return Refused("format", "", "`kind` and `body` are of a proof about the quotient, none of a quotient or of orders")
        if not isinstance(question, RaceOn) or question.variable not in body["asked"]:
            return Refused("question", "", "the accesses that the question is about are not in the quotient")
        self._quotients = self._quotients or Quotients(self.program)
        kept = from_rows(self.program, body["globals"], own)
        small = self._quotients.of(kept, frozenset(body["asked"]))
        kernel = self._small.setdefault(id(small), Kernel(small, self._others))
        return kernel.check(question, Certificate(small.fingerprint(), question, body["kind"], body["body"]))

    def _orders(self, question: Question, body: Mapping[str, Any]) -> Outcome:
        """A proof about the program without the stale reads that memory orders exclude (`circ.views.memory_orders.orders`)."""
        if set(body) != {"focus", "plain", "proofs"} or not isinstance(body["plain"], bool):
            return Refused("format", "", "the body has `focus`, `plain` and `proofs`")
        focus, plain = body["focus"], body["plain"]
        if not isinstance(question, RaceOn) or focus == question.variable:
            return Refused("question", "", "memory orders are looked at for races on other variables than the focus")
        if not self._is_weak():
            return Refused("program", "", "there are no weak memory orders, or races are not those of C11")
        if (focus is None and plain) or (focus is not None and not (isinstance(focus, str) and focusable(self.program, focus))):
            return Refused("format", "", "the focus is an atomic scalar, or null for what is sequentially consistent")
        view = ordered(self.program, focus, plain)
        asked = [question, RaceOn(focus)] if plain and isinstance(focus, str) else [question]
        return self._all_proved([(view, part) for part in asked], body["proofs"])

    def _happens_before(self, question: Question, body: Mapping[str, Any]) -> Outcome:
        """A proof about the program in which happens-before is data (`circ.views.memory_orders.happens_before`)."""
        if set(body) != {"focus", "plain", "proofs"} or not _are_names(body["plain"], self._globals):
            return Refused("format", "", "the body has `focus`, `plain`, a list of names, and `proofs`")
        focus, plain = body["focus"], tuple(body["plain"])
        if not isinstance(question, RaceOn) or not may_ask(self.program, question.variable, focus):
            return Refused("question", "", "happens-before is looked at for races on plain variables, or on the focus")
        if not self._is_weak():
            return Refused("program", "", "there are no weak memory orders, or races are not those of C11")
        if not (focus is None or isinstance(focus, str)) or not is_focus(self.program, focus):
            return Refused("format", "", "the focus is an atomic scalar, null for what is sequentially consistent, or the fence")
        if not only_threads(self.program) or not all(y != focus and loads_and_stores_only(self.program, y) for y in plain):
            return Refused("program", "", "there are more than threads, or `plain` are not loads and stores of atomic scalars")
        views = [with_past(self.program, focus, plain, asked) for asked in (question.variable, *plain)]
        return self._all_proved([(view, RaceOn(PAST.name)) for view in views], body["proofs"])

    def _is_weak(self) -> bool:
        return is_weak(self.program) and self.program.race_model == RaceModel.C11

    def _all_proved(self, asked: Sequence[tuple[Program, Question]], proofs: object) -> Outcome:
        """Whether there is a proof for each question about a program that was made from this one."""
        if not isinstance(proofs, list | tuple) or len(proofs) != len(asked) or not all(
                isinstance(p, Mapping) and _is_proof(p) and len(p) == 2 and p["kind"] not in OUTERMOST for p in proofs):
            return Refused("format", "", "each of the `proofs` has a `kind` and a `body`, and there is one for each question")
        assumptions: dict[Assumption, None] = {}
        for (view, question), proof in zip(asked, proofs, strict=True):
            inner = Certificate(view.fingerprint(), question, proof["kind"], proof["body"])
            outcome = check_certificate(view, question, inner, self._others)
            if not isinstance(outcome, Accepted):
                return outcome
            assumptions |= dict.fromkeys(outcome.assumptions)
        return Accepted(tuple(assumptions))

    def _about_another(self, question: Question, certificate: Certificate) -> Outcome:
        """A proof about a program that is made from this one and has the same races.

        Its counted threads are told apart (`circ.views.copies`), or its atomic sections are single steps
        (`circ.views.sections_as_steps`).
        """
        if certificate.kind == ProofKind.ONE_BY_ONE:
            other = one_by_one(self.program)
            if other is self.program:
                return Refused("format", "", "no template has copies to tell apart")
        else:
            sections = sections_as_steps(self.program)
            if sections is None:
                return Refused("format", "", "no atomic section is a single step")
            other = sections.program
        body = certificate.body
        if len(body) != 2 or not _is_proof(body):
            return Refused("format", "", "the body has a `kind` and a `body`, of a proof about the other program")
        if body["kind"] in (certificate.kind, *OUTERMOST):
            return Refused("format", "", "made from this program once already, or by memory orders, which come first")
        inner = Certificate(other.fingerprint(), question, body["kind"], body["body"])
        return check_certificate(other, question, inner, self._others)


def _is_proof(body: Mapping[str, Any]) -> bool:
    return isinstance(body.get("kind"), str) and isinstance(body.get("body"), Mapping)


def _are_names(value: object, known: frozenset[str]) -> bool:
    """Whether the value is a list of some of these names."""
    return isinstance(value, list | tuple) and all(isinstance(name, str) and name in known for name in value)


def flaw_of(program: Program) -> str | None:
    """What the proofs of all kinds take for granted of a program; None if all of it is so."""
    names = {v.name for v in program.globals}
    if len({t.name for t in program.templates}) != len(program.templates):
        return "two templates of one name"
    for t in program.templates:
        if any(v.name in names or f"{v.name}@{slot}" in names for v in t.locals for slot in SLOTS):
            return f"a local of {t.name!r} has the name of a global"
        if t.cfa.start in t.cfa.atomic:
            return f"the start location of {t.name!r} is atomic"
        ends = [t.cfa.start, *(q for e in t.cfa.edges for q in (e.source, e.target))]
        if not all(0 <= q < t.cfa.size for q in ends):
            return f"an edge of {t.name!r} leads nowhere"
    return None
