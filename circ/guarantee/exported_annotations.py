"""What context inference found out about a program, as annotations with which `circ verify` proves the same.

The context automaton's classes that exclude each other become a ghost variable: it holds the number of the thread that is in one
of them (a lock that remembers its owner needs none). Which globals others leave alone meanwhile, and what is true of them, is
drawn from the predicates of the proof; what the program does not guarantee is left out until all conditions hold, and then
what the question does not need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from circ.guarantee.assume_guarantee import answer
from circ.guarantee.conditions import FailedCondition, ObligationKind, ThreadConditions
from circ.guarantee.formulas import AnnotatedProgram, closure, false_at_start
from circ.guarantee.thread_flow import thread_flow
from circ.guarantee.thread_states import ThreadStates
from circ.kernel.pair_bodies import PairsBody, read_body
from circ.verdict import Certificate, Options, ProofKind, Question, RaceOn, Safe, Technique, silent
from circ.views.sections_as_steps import sections_as_steps
from frontend.annotations.attached import TID
from frontend.annotations.ghosts import Ghost, followed
from frontend.annotations.two_state import primed
from frontend.program import (
    BOOL,
    Assign,
    Binary,
    Const,
    Expr,
    Invariant,
    Location,
    Program,
    Read,
    Rely,
    Unary,
    Var,
    Variable,
    negate,
    op_writes,
    primitive,
    show,
    substitute,
    truth,
    variables,
)
from frontend.records import dataclass

OWNER = "owner"


@dataclass(frozen=True, slots=True)
class NewClause:
    """An annotation, and what it adds to the program: an assumption of some templates, or an invariant."""

    text: str
    cond: Expr
    templates: tuple[str, ...] = ()

    @property
    def clause(self) -> str:
        return f"//@ {self.text};"


def exported(program: Program, proofs: Sequence[tuple[RaceOn, Certificate]], options: Options) -> tuple[str, ...] | None:
    """Annotations with which all the questions are proved; None if these shapes do not suffice."""
    for ghost in (None, *_ghosts(program, proofs)):
        base = program if ghost is None else _with_ghost(program, ghost)
        kept = _guaranteed(base, _candidates(base, ghost, proofs), options)
        if kept is not None and _proves(base, kept, proofs, options):
            return (*([_ghost_text(program, ghost)] if ghost is not None else []),
                    *(line.clause for line in _needed(base, kept, proofs, options)))
    return None


# --------------------------------------------------------------------------------------------------- the ghost
def _ghosts(program: Program, proofs: Sequence[tuple[RaceOn, Certificate]]) -> Iterator[Ghost]:
    for question, certificate in proofs:
        body = _pairs(program, certificate)
        if body is not None:
            places = _exclusive(program, question.variable, body)
            tid = next((v for t in program.templates for v in t.locals if v.name == TID), None)
            if places and tid is not None:
                number = Var(TID, tid.type)
                yield Ghost(Var(_fresh(program), number.type), number, places)


def _fresh(program: Program) -> str:
    taken = {n for v in program.globals for n in (v.name, v.shown)}
    return next(name for name in (OWNER, *(f"{OWNER}{i}" for i in range(2, 99))) if name not in taken)


def _pairs(program: Program, certificate: Certificate) -> PairsBody | None:
    """The pair facts of a proof, where it is of that kind and about the same locations."""
    if certificate.kind == ProofKind.PAIRS:
        return read_body(program, certificate.body)
    if certificate.kind == ProofKind.SECTIONS and certificate.body["kind"] == ProofKind.PAIRS:
        sections = sections_as_steps(program)
        return None if sections is None else read_body(sections.program, certificate.body["body"])
    return None


def _exclusive(program: Program, x: str, body: PairsBody) -> dict[str, dict[int, Expr]]:
    """Places, with conditions on the thread's locals, of which no two threads can be at any two: the accesses to x and more."""
    outside: dict[tuple[int, int], list[frozenset[Expr]]] = {}
    accesses = [(t, e.source) for t, template in enumerate(program.templates) for e in template.cfa.edges
                if any(a.variable == x and a.is_data for a in e.accesses)]
    all_places = [(t, q) for t, template in enumerate(program.templates) for q in range(template.cfa.size)]
    for place in dict.fromkeys([*accesses, *all_places]):
        cfa = program.templates[place[0]].cfa
        if place[1] in cfa.atomic or place[1] in cfa.errors or place[1] == cfa.start:
            continue
        together = [c for other in (*outside, place) for c in _together(program, body, place, other, outside.get(other, []))]
        mine = [_own(c, 1) for c in together]
        if all(mine) and not (place in accesses and together):
            outside[place] = list(dict.fromkeys(mine))
    made: dict[str, dict[int, Expr]] = {}
    for (t, q), ways in sorted(outside.items()):
        cond: Expr = Const(1, BOOL)
        for way in ways:
            cond = _and(cond, negate(_all(sorted(way, key=show))))
        made.setdefault(program.templates[t].name.partition("#")[0], {})[q] = cond
    return made


def _together(program: Program, body: PairsBody, one: tuple[int, int], two: tuple[int, int],
              outside: list[frozenset[Expr]]) -> list[tuple[Expr, ...]]:
    """The ways in which a thread can be at `one` and another inside at `two`, as the proof knows them.

    `outside`: what is true of a thread at `two` that does not count as inside.
    """
    if one == two and program.templates[one[0]].count == 1:
        return []
    c, d = body.classes[one[0]][one[1]], body.classes[two[0]][two[1]]
    there, back = body.pairs.get((one[0], c, two[0], d)), body.pairs.get((two[0], d, one[0], c))
    if there is None or back is None:
        return []
    if one == two:
        # One of two threads at the same place has to be outside: what the first can do about that is said of it.
        return [way for way in there.dnf if not _own(way, 2)]
    return [way for way in there.dnf if not any(known <= _own(way, 2) for known in outside)]


def _own(way: tuple[Expr, ...], slot: int) -> frozenset[Expr]:
    """The conditions on the locals of one of the two threads, by their plain names."""
    return frozenset(substitute(a, _plain) for a in way if _only(a, slot))


def _only(e: Expr, slot: int) -> bool:
    names = variables(e)
    return bool(names) and all(n.endswith(f"@{slot}") for n in names)


def _plain(v: object) -> Expr | None:
    return Read(Var(v.name.rpartition("@")[0], v.type)) if isinstance(v, Var) else None


def _all(parts: Iterable[Expr]) -> Expr:
    made: Expr = Const(1, BOOL)
    for part in parts:
        made = _and(made, part)
    return made


def _and(a: Expr, b: Expr) -> Expr:
    return truth(b) if a == Const(1, BOOL) else Binary("&&", a, truth(b))


def _with_ghost(program: Program, ghost: Ghost) -> Program:
    variable = Variable(ghost.variable.name, ghost.variable.type, shown=ghost.variable.name, ghost=True)
    templates = tuple(replace(t, cfa=replace(t.cfa, edges=tuple(followed(e, t, (ghost,)) for e in t.cfa.edges)))
                      for t in program.templates)
    return replace(program, globals=(*program.globals, variable), templates=templates)


def _ghost_text(program: Program, ghost: Ghost) -> str:
    parts = []
    for function, places in ghost.places.items():
        shown = [f"{q}" + ("" if cond == Const(1, BOOL) else f" if {show(cond)}") for q, cond in places.items()]
        parts.append(f"{function}: {', '.join(shown)}")
    return f"//@ ghost {ghost.variable.name} = \\tid at {', '.join(parts)};"


# --------------------------------------------------------------------------------------------------- candidates
def _candidates(program: Program, ghost: Ghost | None, proofs: Sequence[tuple[RaceOn, Certificate]]) -> list[NewClause]:
    scalars = [v for v in program.globals if not v.is_array and not v.name.startswith("<")]
    everybody = tuple(t.name for t in program.templates)
    lines: list[NewClause] = []
    for m in scalars:
        tid = next((v for t in program.templates for v in t.locals if v.name == TID and v.type == m.type), None)
        if tid is not None and _owned(program, m):
            held = Binary("==", _read(m), Read(Var(TID, tid.type)))
            lines.append(_when(held, m, Binary("==", _after(m), Read(Var(TID, tid.type))), f"{m.name}' == \\tid", everybody))
            lines += [_when(held, m, Binary("==", _after(v), _read(v)), f"{v.name}' == {v.name}",
                            everybody) for v in scalars if v is not m]
    for t in program.templates:
        for v in scalars:
            if t.count == 1 and not any(v.name in op_writes(e.op) for u in program.templates if u is not t for e in u.cfa.edges):
                lines.append(NewClause(f"for {t.name.partition('#')[0]}: assumes {v.name}' == {v.name}",
                                       Binary("==", _after(v), _read(v)), (t.name,)))
    for atom in _atoms(program, proofs):
        lines.append(NewClause(f"invariant {show(atom)}", atom))
        if ghost is not None:
            taken = Binary("!=", Read(ghost.variable), Const(0, ghost.variable.type))
            text = f"invariant {ghost.variable.name} != 0 ==> {show(atom, 2)}"
            lines.append(NewClause(text, Binary("||", Unary("!", taken), atom)))
            lines.append(NewClause(f"invariant {ghost.variable.name} == 0 ==> {show(atom, 2)}", Binary("||", taken, atom)))
    return lines


def _when(held: Expr, m: Variable, then: Expr, text: str, templates: tuple[str, ...]) -> NewClause:
    return NewClause(f"assumes {m.name} == \\tid ==> {text}", Binary("||", Unary("!", held), then), templates)


def _owned(program: Program, m: Variable) -> bool:
    """Whether threads put their numbers there."""
    return any(isinstance(p, Assign) and p.target == Var(m.name, m.type) and TID in variables(p.value)
               for t in program.templates for e in t.cfa.edges for p in primitive(e.op))


def _read(v: Variable) -> Expr:
    return Read(Var(v.name, v.type))


def _after(v: Variable) -> Expr:
    return Read(primed(Var(v.name, v.type)))


def _atoms(program: Program, proofs: Sequence[tuple[RaceOn, Certificate]]) -> list[Expr]:
    """The predicates of the proofs that speak of globals only, and their negations."""
    shared = {v.name for v in program.globals}
    found: dict[Expr, None] = {}
    for _, certificate in proofs:
        body = _pairs(program, certificate)
        for row in () if body is None else body.pairs.values():
            for atom in (a for c in row.dnf for a in c):
                if variables(atom) and variables(atom) <= shared:
                    found |= {truth(atom): None, negate(atom): None}
    return list(found)


# --------------------------------------------------------------------------------------------------- what is guaranteed
def _annotated(program: Program, lines: Sequence[NewClause]) -> Program:
    """The program with these annotations; the place of each is its number."""
    relies = tuple(Rely(t, line.cond, Location("", n + 1), line.text) for n, line in enumerate(lines) for t in line.templates)
    invariants = tuple(Invariant(line.cond, Location("", n + 1), line.text, between=True) for n,
                       line in enumerate(lines) if not line.templates)
    return replace(program, relies=relies, invariants=(*program.invariants, *invariants))


def _guaranteed(program: Program, lines: list[NewClause], options: Options) -> list[NewClause] | None:
    """The lines that hold, by leaving out what fails; None if something else than a line fails."""
    initially = [line for line in lines if line.templates or false_at_start(program,
                                                                            Invariant(line.cond, Location("", 1), "")) is None]
    lines = initially
    while True:
        options.check_time()
        failed = _first_failure(_annotated(program, lines), options)
        if failed is None:
            return lines
        if failed.kind not in (ObligationKind.RELY, ObligationKind.INVARIANT) or failed.claim.file:
            return None
        lines = [line for n, line in enumerate(lines) if n + 1 != failed.claim.line]


def _first_failure(program: Program, options: Options) -> FailedCondition | None:
    annotated = AnnotatedProgram.of(program)
    closures = {t.name: closure(annotated, t) for t in program.templates}
    for t in program.templates:
        made, _ = thread_flow(t, options.unroll)
        found = ThreadConditions(ThreadStates(annotated, t, made, closures, t.name), options.check_time).failure()
        if found is not None:
            return found
    return None


def _proves(program: Program, lines: Sequence[NewClause], proofs: Sequence[tuple[RaceOn, Certificate]], options: Options) -> bool:
    made = _annotated(program, lines)
    return all(isinstance(_answered(made, question, options), Safe) for question, _ in proofs)


def _answered(program: Program, question: Question, options: Options) -> object:
    return answer(program, question, replace(options, switches={Technique.HINTS: False, Technique.SEARCH: False}), silent)


def _needed(program: Program, lines: list[NewClause], proofs: Sequence[tuple[RaceOn, Certificate]],
            options: Options) -> list[NewClause]:
    """Without the lines that the proofs do not need, last ones first."""
    for line in reversed(lines):
        fewer = [other for other in lines if other is not line]
        if _proves(program, fewer, proofs, options):
            lines = fewer
    return lines

