"""The annotations of a file as claims of its program: what threads assume of others, invariants, loops, contracts.

Loop invariants, `requires` and `ensures` become branches to error locations, taken in one step and without any access, where
the claim is false. `Program.relies` has the assumptions, `Program.invariants` the invariants, which need not hold while a
thread is inside an atomic section. Every thread has its number `\\tid` as a local.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from frontend.annotations.attached import PRIME, Attached, Clause, ClauseKind
from frontend.annotations.frames import with_frames
from frontend.annotations.ghosts import Ghost, followed, with_ghosts
from frontend.annotations.notes import NOTE, NotePlace, is_note
from frontend.annotations.two_state import NameLookup, read_formula
from frontend.program import (
    BOOL,
    DATA_MODELS,
    TRUE,
    Arbitrary,
    Assign,
    Assume,
    Binary,
    Block,
    Cfa,
    Const,
    Edge,
    Element,
    ErrorKind,
    ErrorLocation,
    Expr,
    FrontendError,
    Invariant,
    Lvalue,
    Op,
    Program,
    Read,
    Rely,
    Scalar,
    ThreadTemplate,
    Var,
    Variable,
    calls_copy,
    name_of,
    negate,
    op_writes,
    primitive,
    reads,
    substitute,
)
from frontend.program.fold import conjunction, fold
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class _NoteRead:
    """A note read back from an operation."""

    place: NotePlace
    function: str
    clauses: tuple[Clause, ...]
    names: Mapping[str, Expr]
    guards: tuple[Op, ...]
    """What the scheduler waits for before the step."""


def with_contracts(program: Program, attached: Attached) -> Program:
    """The program with all that its annotations claim; raises FrontendError for what they say wrongly."""
    return _Contracts(program, attached).program()


class _Contracts:
    def __init__(self, program: Program, attached: Attached) -> None:
        self.base, self.attached = program, attached
        self.model = DATA_MODELS[program.data_model]
        self.ghosts: tuple[Ghost, ...] = ()

    def program(self) -> Program:
        ghosts = [c for c in self.attached.clauses if c.kind is ClauseKind.GHOST]
        self.base, self.ghosts = with_ghosts(self.base, ghosts, self.model)
        base = self.base
        invariants = tuple(self._invariant(c) for c in self.attached.clauses if c.kind is ClauseKind.INVARIANT)
        relies = tuple(r for t in base.templates for r in self._relies(t))
        templates = tuple(self._template(t) for t in base.templates)
        self._unused()
        return replace(base, templates=templates, invariants=(*base.invariants, *invariants), relies=relies)

    # ------------------------------------------------------------------------------------------- the whole program
    def _shared(self, name: str) -> Variable | Expr | None:
        """A global, or a constant."""
        return self._global(name) or self.attached.constants.get(name)

    def _global(self, name: str) -> Variable | None:
        for v in self.base.globals:
            if name in (v.shown, v.name) or f"{name}[]" in (v.shown, v.name):
                return v
        # A lock of a library is a struct with one word of ours in it.
        return next((v for v in self.base.globals if v.name.startswith(f"{name}.__circ_") and not v.is_array), None)

    def _invariant(self, clause: Clause) -> Invariant:
        cond = read_formula(clause, NameLookup(self._shared, tid=False), self.model)
        return Invariant(cond, clause.location, clause.text, between=True)

    def _relies(self, template: ThreadTemplate) -> Iterator[Rely]:
        function = template.name.partition("#")[0]
        for number, clause in enumerate(self.attached.clauses):
            named = clause.functions or ((self.attached.inside[number],) if number in self.attached.inside else ())
            if clause.kind is ClauseKind.ASSUMES and (not named or function in named):
                cond = read_formula(clause, NameLookup(self._shared, primes=True), self.model)
                yield Rely(template.name, cond, clause.location, clause.text)

    def _unused(self) -> None:
        threads = {t.name.partition("#")[0] for t in self.base.templates}
        for number, clause in enumerate(self.attached.clauses):
            names = (*clause.functions, *((self.attached.inside[number],) if number in self.attached.inside else ()))
            for name in names:
                if name not in threads:
                    raise FrontendError(clause.location, f"'{name}' is not the function of a thread",
                                        f"threads run {', '.join(sorted(threads))}")

    # ------------------------------------------------------------------------------------------- one thread
    def _template(self, template: ThreadTemplate) -> ThreadTemplate:
        made = _Automaton(template.cfa)
        for edge in template.cfa.edges:
            note = self._note(edge)
            if note is None:
                made.edges.append(edge)
            elif note.place is NotePlace.SAVED:
                made.edges.append(edge)  # until it is known what the contracts keep
            elif note.place is NotePlace.BEGUN:
                made.edges.append(self._begun(made, template, edge, note))
            else:
                self._claim(made, template, edge, note)
        made.edges = with_frames(made.edges, made.locals)
        made.edges = [followed(e, template, self.ghosts) for e in made.edges]
        locals_ = (*template.locals, *made.locals.values())
        return replace(template, cfa=made.cfa(), locals=locals_)

    def _note(self, edge: Edge) -> _NoteRead | None:
        parts = list(primitive(edge.op))
        at = next((i for i, p in enumerate(parts) if isinstance(p, Assign) and is_note(name_of(p.target))), None)
        if at is None:
            return None
        head = parts[at]
        assert isinstance(head, Assign)
        begun = f":{NotePlace.BEGUN.value}:" in name_of(head.target)
        if (not begun and not all(isinstance(p, Assign) and is_note(name_of(p.target)) for p in parts[at:])) or (
                not begun and not all(isinstance(p, Assume) for p in parts[:at])):
            raise FrontendError(edge.location, "an annotation inside an atomic section that waits",
                                "wait where the section begins, or annotate outside of it")
        _, place, function, numbers = name_of(head.target).split(":")
        names = {name_of(p.target).removeprefix(f"{NOTE} "): p.value for p in parts[at + 1:] if isinstance(p, Assign)
                 and is_note(name_of(p.target))}
        clauses = () if place == NotePlace.SAVED.value else tuple(self.attached.clauses[int(n)] for n in numbers.split(",") if n)
        return _NoteRead(NotePlace(place), function, clauses, names, tuple(parts[:at]))

    def _claim(self, made: _Automaton, template: ThreadTemplate, edge: Edge, note: _NoteRead) -> None:
        kinds = {NotePlace.LOOP: (ClauseKind.LOOP, ErrorKind.LOOP), NotePlace.ENTRY: (ClauseKind.REQUIRES, ErrorKind.REQUIRES),
                 NotePlace.EXIT: (ClauseKind.ENSURES, ErrorKind.ENSURES), NotePlace.DONE: (ClauseKind.ATOMIC, ErrorKind.ENSURES)}
        wanted, error = kinds[note.place]
        ends = note.place in (NotePlace.EXIT, NotePlace.DONE)

        def find(name: str) -> Variable | Expr | None:
            if name in note.names and ends:
                return Read(made.kept(note.function, name, note.names[name].type))  # what was passed
            found = note.names.get(name) or self._local(template, note.function, name)
            return found or self._shared(name)

        def old(v: Lvalue) -> Lvalue:
            return made.old(note.function, v, template)

        names = NameLookup(find, old=old if note.place is NotePlace.EXIT else None, result=note.names.get("\\result"),
                      primes=note.place is NotePlace.DONE)
        claimed = [c for c in note.clauses if c.kind is wanted]
        cond: Expr = TRUE
        for c in claimed:
            cond = conjunction(cond, read_formula(c, names, self.model))
        more = ""
        if note.place is NotePlace.DONE:
            cond, frame = self._one_step(made, template, note, cond)
            more = f", and {frame} unchanged" if frame else ""
        ops: list[Op] = [*note.guards, *([Assume(cond)] if claimed else [])]
        if note.place is NotePlace.ENTRY:
            ops += [Assign(kept, Read(v)) for v, kept in self._kept(made, template, note)]
            ops += [Assign(made.kept(note.function, name, e.type), e) for name, e in note.names.items()]
        made.edges.append(replace(edge, op=Block(tuple(ops)) if len(ops) != 1 else ops[0], accesses=()))
        where = claimed[0].location if claimed else edge.location
        if note.place is NotePlace.ENTRY and any(e.target == edge.source and calls_copy(e) for e in template.cfa.edges):
            made.edges[-1] = replace(made.edges[-1], location=where)
            edge = replace(edge, location=where)  # no single call is to blame
        wrong = made.error(ErrorLocation(error, where, f"{wanted.value} {' && '.join(c.text for c in claimed) or 'true'}{more}"))
        fails: Op = Assume(negate(cond))
        made.edges.append(replace(edge, op=Block((*note.guards, fails)) if note.guards else fails, target=wrong, accesses=()))

    # ------------------------------------------------------------------------------------------- functions that are one step
    def _begun(self, made: _Automaton, template: ThreadTemplate, edge: Edge, note: _NoteRead) -> Edge:
        """The edge where a function that is one step begins: it remembers what the function changes, and what was passed."""
        changed = self._changed(template, note)
        keep: list[Op] = [Assign(made.kept(note.function, v.name, v.type), Read(Var(v.name, v.type))) for v in changed]
        keep += [Assign(made.kept(note.function, name, e.type), e) for name, e in note.names.items()]
        parts = list(primitive(edge.op))
        at = [i for i, p in enumerate(parts) if isinstance(p, Assign) and is_note(name_of(p.target))]
        ops = (*parts[:at[0]], *keep, *parts[at[-1] + 1:])
        return replace(edge, op=Block(ops) if len(ops) != 1 else ops[0])

    def _one_step(self, made: _Automaton, template: ThreadTemplate, note: _NoteRead, cond: Expr) -> tuple[Expr, str]:
        """What is claimed where such a function is done: the formula of the two states, and which globals stay as they were."""
        changed = {v.name: v for v in self._changed(template, note)}
        named = {name_of(v)[:-1] for v in reads(cond) if name_of(v).endswith(PRIME)}
        array = next((v for v in reads(cond) if isinstance(v, Element) and name_of(v).endswith(PRIME)), None)
        lost = next((v for v in changed.values() if v.is_array), None)
        if array is not None or lost is not None:
            shown = name_of(array)[:-1] if array is not None else lost.shown or lost.name if lost is not None else ""
            raise FrontendError(note.clauses[0].location, f"'{note.function}' changes elements of the array '{shown}'",
                                "an atomic ensures may change scalars only")

        def value(v: Lvalue) -> Expr | None:
            if not isinstance(v, Var):
                return None
            if v.name.endswith(PRIME):
                return Read(Var(v.name[:-1], v.type))
            return Read(made.kept(note.function, v.name, v.type)) if v.name in changed else None

        claim = fold(substitute(cond, value))
        frame = [v for name, v in changed.items() if name not in named]
        for v in frame:
            claim = conjunction(claim, Binary("==", Read(Var(v.name, v.type)), Read(made.kept(note.function, v.name, v.type))))
        return claim, ", ".join(v.shown or v.name for v in frame)

    def _changed(self, template: ThreadTemplate, note: _NoteRead) -> list[Variable]:
        """The globals that are written between the beginning and the end of a function that is one step."""
        out: dict[int, list[Edge]] = {}
        for e in template.cfa.edges:
            out.setdefault(e.source, []).append(e)
        begins = f"{NOTE}:{NotePlace.BEGUN.value}:{note.function}:"
        ends = f"{NOTE}:{NotePlace.DONE.value}:{note.function}:"
        first = [e for e in template.cfa.edges if any(w.startswith(begins) for w in op_writes(e.op))]
        written: set[str] = set()
        seen = set(first)
        work = list(first)
        while work:
            edge = work.pop()
            written |= set(op_writes(edge.op))
            if not any(w.startswith(ends) for w in op_writes(edge.op)):
                more = [e for e in out.get(edge.target, []) if e not in seen]
                seen.update(more)
                work += more
        return [v for v in self.base.globals if v.name in written]

    def _kept(self, made: _Automaton, template: ThreadTemplate, note: _NoteRead) -> list[tuple[Lvalue, Var]]:
        """What `\\old` in the function's ensures needs to know later."""
        found: dict[str, tuple[Lvalue, Var]] = {}

        def keep(v: Lvalue) -> Lvalue:
            kept = made.old(note.function, v, template)
            if isinstance(kept, Var) and isinstance(v, Var) and kept != v:
                found[v.name] = (v, kept)
            return kept

        for clause in note.clauses:
            if clause.kind is ClauseKind.ENSURES:
                # Parameters and the result do not matter here: only which globals the formula wants to remember.
                names = NameLookup(lambda n: note.names.get(n) or self._shared(n) or Const(0, BOOL), old=keep,
                              result=Const(0, BOOL))
                read_formula(clause, names, self.model)
        return list(found.values())

    @staticmethod
    def _local(template: ThreadTemplate, function: str, name: str) -> Variable | None:
        owners = [v for v in template.locals if v.shown and v.name.rpartition("::")[2].partition("#")[0] == name
                  and (not function or v.name.startswith(f"{function}::"))]
        return owners[0] if len(owners) == 1 else None


@dataclass(slots=True)
class _Automaton:
    """An automaton that gets more locations and locals."""

    base: Cfa
    edges: list[Edge] = field(default_factory=list)
    locals: dict[str, Variable] = field(default_factory=dict)
    added: list[ErrorLocation] = field(default_factory=list)

    def error(self, what: ErrorLocation) -> int:
        self.added.append(what)
        return self.base.size + len(self.added) - 1

    def old(self, function: str, v: Lvalue, template: ThreadTemplate) -> Lvalue:
        """What `\\old` of a variable means: for a global the local that keeps it, for one of the thread's own itself."""
        if not isinstance(v, Var) or v.name.startswith("\\") or any(own.name == v.name for own in template.locals):
            return v
        return self.kept(function, v.name, v.type)

    def kept(self, function: str, name: str, t: Scalar) -> Var:
        """The local that keeps what a global or parameter was on entry to the function."""
        own = f"{function}::\\old({name})"
        self.locals.setdefault(own, Variable(own, t, None, Arbitrary(), "", ghost=True))
        return Var(own, t)

    def cfa(self) -> Cfa:
        base = self.base
        errors = {**base.errors, **{base.size + i: e for i, e in enumerate(self.added)}}
        return replace(base, size=base.size + len(self.added), edges=tuple(self.edges), errors=errors)
