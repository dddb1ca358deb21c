"""Proofs as invariants at statements, with ghost variables for the locks that they speak of.

A certificate says of each pair of threads what holds while they are at certain locations. What holds of one thread is the
disjunction over all places of the other one, without what speaks of that one's locals. A statement may stand at several
locations (of several threads, and of several copies of an inlined function): its invariant is the disjunction over them. It is
told only for statements which touch a shared variable by its name and call nothing: of these every location is there, since a
step that touches shared memory is never left out or put together with others. Whatever C cannot say there is weakened away. Of
programs with handlers nothing is told: what they do before interrupts are on may have been run when they were read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from circ.kernel.outcome import Malformed
from circ.kernel.pair_bodies import FormulaRow, PairsBody, read_body
from circ.verdict import Certificate, ProofKind
from circ.views.copies import copy_of, one_by_one
from circ.views.quotient import Quotients
from circ.views.sections_as_steps import sections_as_steps
from circ.views.variable_sets import from_rows
from circ.witness.entries import GhostUpdate, GhostVariable, WitnessInvariant
from circ.witness.violation import c_name, may_be_address, place_of
from frontend.program import (
    COMPARISONS,
    LOGICAL,
    Access,
    Assign,
    Binary,
    Cast,
    Const,
    Expr,
    Location,
    Program,
    Read,
    Role,
    Unary,
    Var,
    Variable,
    primitive,
    show,
    substitute,
    variables,
)
from frontend.records import dataclass
from frontend.text.places.statements import Statement, StatementKind, Statements

MOST_CASES, LONGEST = 8, 400
"""Cases of one disjunction, and characters of one invariant: what is longer helps nobody."""
_LOCKING = ("pthread_mutex_lock", "pthread_mutex_unlock", "pthread_spin_lock", "pthread_spin_unlock", "mtx_lock", "mtx_unlock")


@dataclass(frozen=True, slots=True)
class ProofInvariants:
    """What a witness of correctness says."""

    invariants: tuple[WitnessInvariant, ...] = ()
    ghosts: tuple[GhostVariable, ...] = ()
    updates: tuple[GhostUpdate, ...] = ()


def invariants(program: Program, certificates: Iterable[Certificate], statements: Statements) -> ProofInvariants:
    """What the certificates say together, as far as C can say it at a statement."""
    writer = _Writer(program, statements)
    told: dict[WitnessInvariant, None] = {}
    for certificate in certificates:
        told |= dict.fromkeys(writer.invariants(certificate))
    used = [lock for lock in writer.locks.values() if any(lock.ghost.name in i.value for i in told)]
    return ProofInvariants(tuple(sorted(told, key=lambda i: (i.place.file, i.place.line, i.place.column, i.value))),
                           tuple(lock.ghost for lock in used), tuple(u for lock in used for u in lock.updates))


@dataclass(frozen=True, slots=True)
class _Lock:
    """A lock of the program, and the ghost that a witness has for it."""

    ghost: GhostVariable
    updates: tuple[GhostUpdate, ...]


class _Writer:
    def __init__(self, program: Program, statements: Statements) -> None:
        self.program, self.statements = program, statements
        self.locks = dict(_locks(program, statements))
        self.known = [{v.name: v for v in (*program.globals, *t.locals)} for t in program.templates]
        shared = {v.name for v in program.globals if not v.ghost}
        self.at: dict[Location, Statement] = {}
        self.places: dict[Location, dict[tuple[int, int], None]] = {}
        """For each statement of which something can be told, the locations at which it goes on, as (template, location)."""
        touched: set[Location] = set()
        reactive = any(t.role in (Role.HANDLER, Role.TASK) for t in program.templates)
        for t, template in enumerate(() if reactive else program.templates):
            for edge in template.cfa.edges:
                at = statements.at(edge.location)
                if at is not None and at.direct:
                    self.at[at.location] = at
                    self.places.setdefault(at.location, {})[t, edge.source] = None
                    if any(_by_name(a, shared) for a in edge.accesses):
                        touched.add(at.location)
        self.places = {place: found for place, found in self.places.items() if place in touched}

    def invariants(self, certificate: Certificate) -> Iterator[WitnessInvariant]:
        try:
            proof = _plain(self.program, certificate.kind, certificate.body)
        except Malformed:
            proof = None
        if proof is None:
            return
        for place, found in self.places.items():
            at = self.at[place]
            for other in range(len(self.program.templates)):
                text = self._told(proof, at, tuple(found), other)
                if text:
                    yield WitnessInvariant(place_of(self.statements, at), text, loop=at.kind is StatementKind.LOOP)

    def _told(self, proof: _Proof, at: Statement, places: tuple[tuple[int, int], ...], other: int) -> str:
        """What holds at the places beside a thread of the template `other`; empty if that is nothing."""
        cases: dict[frozenset[str], None] = {}
        for template, location in places:
            for case in proof.cases(template, location, self._beside(template, other)):
                for plain in _without_or(case):
                    said = frozenset(text for e in plain if (text := self._said(e, at, template)))
                    if not said:
                        return ""
                    cases[said] = None
        if any({frozenset((f"{lock.ghost.name} == {n}",)) for n in (0, 1)} <= cases.keys() for lock in self.locks.values()):
            return ""  # it is held, or it is not
        weakest = [case for case in cases if not any(less < case for less in cases)]
        if not weakest or len(weakest) > MOST_CASES:
            return ""
        common = frozenset.intersection(*weakest)
        rest = sorted(" && ".join(sorted(case - common)) for case in weakest)
        parts = sorted(common)
        if all(rest):
            parts.append(rest[0] if len(rest) == 1 else f"({' || '.join(f'({r})' if '&&' in r else r for r in rest)})")
        text = " && ".join(parts)
        return text if len(text) <= LONGEST else ""

    def _beside(self, template: int, other: int) -> int:
        """The template `other`, or the next one of which a thread exists beside one of the template."""
        known = self.program.templates
        turn = [(other + n) % len(known) for n in range(len(known))]
        return next((o for o in turn if o != template or known[o].count != 1), -1)

    def _said(self, e: Expr, at: Statement, template: int) -> str:
        """A formula about thread 1 in C; empty if C has no words for it there."""
        names: dict[str, str] = {}
        for symbol in variables(e):
            name = symbol.removesuffix("@1")
            lock = self.locks.get(name)
            names[symbol] = lock.ghost.name if lock is not None else c_name(name, self.known[template], at)
        if not names or not all(names.values()) or not _is_c(e):
            return ""
        text = show(substitute(e, lambda v: Read(Var(names[v.name], v.type)) if isinstance(v, Var) else None))
        return f"({text})" if isinstance(e, Binary) and e.op in LOGICAL else text


def _without_or(case: tuple[Expr, ...]) -> list[tuple[Expr, ...]]:
    """A conjunction as a disjunction of ones whose parts are none themselves, if that does not take many."""
    found: list[tuple[Expr, ...]] = [()]
    for e in case:
        ways = list(_ways(e))
        if len(ways) * len(found) > MOST_CASES:
            ways = [e]
        found = [(*before, way) for before in found for way in ways]
    return found


def _ways(e: Expr) -> Iterator[Expr]:
    if isinstance(e, Binary) and e.op == "||":
        yield from _ways(e.left)
        yield from _ways(e.right)
    else:
        yield e


def _by_name(access: Access, shared: set[str]) -> bool:
    return access.variable in shared and isinstance(access.lvalue, Var)


def _is_c(e: Expr) -> bool:
    """Whether C reads the text of a formula as it is meant: no arithmetic, whose types would have to be written out."""
    match e:
        case Const(value=value, type=t):
            return abs(value) < 1 << 63 and not may_be_address(value, t)
        case Read(lvalue=Var()):
            return True
        case Cast(arg=a, type=t):
            return t.low <= a.type.low and a.type.high <= t.high and _is_c(a)
        case Binary(op=op, left=a, right=b):
            return op in (*COMPARISONS, *LOGICAL) and _is_c(a) and _is_c(b)
        case Unary(op="!", arg=a):
            return _is_c(a)
        case _:
            return False


# --------------------------------------------------------------------------------------------------- certificates
@dataclass(frozen=True, slots=True)
class _Proof:
    """A proof by pairs or triples about a view of the program. `seen`: for a template and location of the program those of the
    view; those of which nothing is said are missing."""

    body: PairsBody
    seen: Mapping[tuple[int, int], tuple[tuple[int, int], ...]]
    others: tuple[tuple[int, ...], ...]
    """For each template of the program those that it is in the view."""

    def cases(self, template: int, location: int, other: int) -> Iterator[tuple[Expr, ...]]:
        """What may hold of a thread there beside any one of the template `other`, one case after the other."""
        if other < 0 or (template, location) not in self.seen:
            yield ()  # nothing is known there
            return
        for t, q in self.seen[template, location]:
            mine = self.body.classes[t][q]
            for o in self.others[other]:
                for where, row in self.body.pairs.items():
                    if where[:2] == (t, mine) and where[2] == o:
                        yield from self._both(row, self.body.pairs.get((o, where[3], t, mine)))

    def _both(self, row: FormulaRow, turned: FormulaRow | None) -> Iterator[tuple[Expr, ...]]:
        """The cases of a row, each with what the row with the threads exchanged says if that is one case."""
        more = tuple(map(_turned, turned.dnf[0])) if turned is not None and len(turned.dnf) == 1 else ()
        for case in row.dnf:
            yield (*case, *more)


def _turned(e: Expr) -> Expr:
    """A formula with thread 1 for thread 2, and the other way round."""
    swap = {"@1": "@2", "@2": "@1"}

    def renamed(v: object) -> Expr | None:
        if isinstance(v, Var) and v.name[-2:] in swap:
            return Read(replace(v, name=v.name[:-2] + swap[v.name[-2:]]))
        return None

    return substitute(e, renamed)


def _plain(program: Program, kind: str, body: Mapping[str, object]) -> _Proof | None:
    """The proof by pairs that a certificate is in the end, seen from the program; None if it is of another kind."""
    same = {(t, q): ((t, q),) for t, template in enumerate(program.templates) for q in range(template.cfa.size)}
    alone = tuple((t,) for t in range(len(program.templates)))
    match kind:
        case ProofKind.PAIRS:
            found = read_body(program, body)
            return None if found.holders else _Proof(found, same, alone)
        case ProofKind.SECTIONS:
            sections = sections_as_steps(program)
            inner = None if sections is None else _inner(sections.program, body)
            if sections is None or inner is None:
                return None
            inside = {(t, q) for t, template in enumerate(program.templates) for q in template.cfa.atomic}
            return replace(inner, seen={place: seen for place, seen in inner.seen.items() if place not in inside})
        case ProofKind.QUOTIENT:
            return _of_quotient(program, body)
        case ProofKind.ONE_BY_ONE:
            split = one_by_one(program)
            inner = _inner(split, body)
            if inner is None:
                return None
            names = [copy_of(program, t.name)[0] for t in split.templates]
            copies = tuple(tuple(n for n, name in enumerate(names) if name == t.name) for t in program.templates)
            spread = {(t, q): tuple(place for copy in copies[t] for place in inner.seen.get((copy, q), ()))
                      for t, q in same}
            return _Proof(inner.body, spread, tuple(tuple(o for c in own for o in inner.others[c]) for own in copies))
        case _:
            return None


def _inner(program: Program, body: Mapping[str, object]) -> _Proof | None:
    kind, inner = body.get("kind"), body.get("body")
    return _plain(program, kind, inner) if isinstance(kind, str) and isinstance(inner, Mapping) else None


def _of_quotient(program: Program, body: Mapping[str, object]) -> _Proof | None:
    kept_globals, kept_locals, asked = body["globals"], body["locals"], body["asked"]
    assert isinstance(kept_globals, list | tuple) and isinstance(kept_locals, list | tuple) and isinstance(asked, list | tuple)
    kept = from_rows(program, kept_globals, kept_locals)
    quotients = Quotients(program)
    small = quotients.of(kept, frozenset(asked))
    inner = _inner(small, body)
    if inner is None:
        return None
    nodes = [quotients.nodes(n, kept.of(t.name), frozenset(asked)) for n, t in enumerate(program.templates)]
    seen = {(t, q): inner.seen.get((t, node), ()) for t, own in enumerate(nodes) for q, node in enumerate(own) if node >= 0}
    return replace(inner, seen=seen)


# --------------------------------------------------------------------------------------------------- locks
def _locks(program: Program, statements: Statements) -> Iterator[tuple[str, _Lock]]:
    """The locks that are only taken and given back, each by calls that always mean it; with their ghosts."""
    named: dict[str, Variable] = {v.name: v for v in program.globals if v.ghost and v.object and not v.is_array}
    written: dict[str, dict[Location, set[int | None]]] = {}
    meant: dict[Location, set[str]] = {}
    statement: dict[Location, Statement] = {}
    for template in program.templates:
        for edge in template.cfa.edges:
            for part in primitive(edge.op):
                if isinstance(part, Assign) and isinstance(part.target, Var) and part.target.name in named:
                    at = statements.at(edge.location)
                    place = edge.location if at is None else at.location
                    if at is not None:
                        statement[place] = at
                    value = part.value.value if isinstance(part.value, Const) else None
                    written.setdefault(part.target.name, {}).setdefault(place, set()).add(value)
                    meant.setdefault(place, set()).add(part.target.name)
    for name, places in written.items():
        if all(place in statement and statement[place].callee in _LOCKING and len(values) == 1 and None not in values
               and len(meant[place]) == 1 for place, values in places.items()):
            ghost = GhostVariable(f"{re.sub(r'[^A-Za-z0-9_]', '_', named[name].shown)}_locked", "int", "0")
            updates = tuple(
                GhostUpdate(place_of(statements, statement[p]), ghost.name, str(next(iter(values))))
                for p, values in sorted(places.items()))
            yield name, _Lock(ghost, updates)
