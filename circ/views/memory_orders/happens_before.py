"""A program with weak memory orders in which happens-before is data: one access of the past, and which threads know of it.

The view runs all that a C11 execution does, not only what happens before a race. At some access a of the variable that is asked
about the past begins (`<a write>`, `<a read>`). From then on a thread knows whether a happens before its next step (`<knows>`).
Stores, mutexes, creation and ends of threads hand that on (`<x carries>`) as C11 says: a releasing store what its thread knows,
a relaxed one what it knew at its last release fence, read-modify-writes also what was there before; an acquiring read takes it,
a relaxed one keeps it for an acquire fence. A conflicting access by a thread that does not know is the race: it is next at an
added location that writes `PAST`, as does an added thread that does nothing else. So what is asked is whether `PAST` races.

Which reads find the latest value:
- with focus None, those of variables all of whose atomic accesses are sequentially consistent; with a focus x, all of x, relaxed
  ones too; with focus `FENCE`, those that fences make so (`fenced`), or a value whose store does not happen before the read;
  those of variables that are only changed by read-modify-writes that acquire and release;
- of a variable of `plain`, all but those that lead back to where they are made (a thread that waits). These reads and all its
  stores must not race with each other, as if they were plain: that is a proof of its own, about the view that asks about it.
All other atomic reads may give anything, and hand on nothing; but flags (`told`) give one of their values, and hand on what all
know that stored it.

If atomic and plain accesses to the variable asked about are mixed (a reference count in an object that is freed), it is the focus
itself, and only pairs with a plain access are races: `<a plain>` says what the past was.

Why no race is lost: docs/memory.md, "Memory orders". To hand on less than C11 does is always allowed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

from circ.views.memory_orders.fenced import fenced_variables, loads_and_stores_only
from circ.views.memory_orders.fenced import stored as stored_values
from circ.views.memory_orders.orders import exact_variables, has_twin, marked, stale_flags, told_reads
from circ.views.memory_orders.reads import focusable, reading
from circ.views.memory_orders.told import Told, flag_read, stored
from circ.views.memory_orders.told import values_stored as values_told
from frontend.program import (
    BOOL,
    FALSE,
    FENCE,
    TRUE,
    Access,
    AccessKind,
    Assign,
    Assume,
    Binary,
    Block,
    Cast,
    Cfa,
    Const,
    Edge,
    Element,
    Expr,
    Havoc,
    Location,
    Lvalue,
    Op,
    Program,
    Read,
    Role,
    Scalar,
    ThreadTemplate,
    Unary,
    Var,
    Variable,
    name_of,
    op_reads,
    op_writes,
    primitive,
    substitute,
)
from frontend.records import dataclass

PAST = Var("<past>", BOOL)
WROTE, READ_IT = Var("<a write>", BOOL), Var("<a read>", BOOL)
"""Whether the access of the past has been made, and which it was."""
PLAIN = Var("<a plain>", BOOL)
"""Whether the access of the past is no atomic one, where the variable has both."""
ELEMENT = Var("<a element>", Scalar(64, True))
KNOWS = Var("<knows>", BOOL)
BEHIND_ACQUIRE, AT_RELEASE = Var("<knows behind acquire fence>", BOOL), Var("<knew at release fence>", BOOL)
"""A thread's own: what it knows, would know behind an acquire fence, and knew at its last release fence."""
WATCHER = "<watcher>"


def only_threads(program: Program) -> bool:
    """Whether nothing but threads runs: what happens before a handler or a task is not looked at."""
    return all(t.role in (Role.MAIN, Role.THREAD) for t in program.templates)


def traceable(program: Program, variable: str) -> bool:
    """Whether races on the variable can be asked about so: all its accesses are plain, and none is in an atomic section."""
    found = program.accesses.get(variable, ())
    return bool(found) and all(a.kind is AccessKind.DATA and not e.protected for _, e, a in found)


def mixed(program: Program, variable: str) -> bool:
    """Whether races on the variable can be asked about with itself as focus: an atomic scalar with plain accesses besides, which
    are in no atomic section, and whose steps access nothing else."""
    found = program.accesses.get(variable, ())
    return focusable(program, variable) and {a.kind for _, _, a in found} == {AccessKind.DATA, AccessKind.ATOMIC} and all(
        a.kind is AccessKind.ATOMIC or not e.protected for _, e, a in found) and all(
        {b.variable for b in e.accesses} == {variable} for _, e, _ in found)


def may_ask(program: Program, variable: str, focus: str | None) -> bool:
    """Whether there is a view with this focus for the question about the variable."""
    return mixed(program, variable) if variable == focus else traceable(program, variable)


def is_focus(program: Program, focus: str | None) -> bool:
    """Whether it can be a focus: an atomic scalar; None for what is sequentially consistent; `FENCE` for what fences make so."""
    return focus is None or (bool(fenced_variables(program)) if focus == FENCE else focusable(program, focus))


def with_past(program: Program, focus: str | None, plain: tuple[str, ...], asked: str) -> Program:
    """The program with one access to `asked` in the past: to a plain variable, one of `plain`, or the focus if it is mixed."""
    assert is_focus(program, focus)
    assert asked in plain or may_ask(program, asked, focus)
    assert all(loads_and_stores_only(program, y) and y != focus for y in plain)
    fenced = fenced_variables(program) - {*plain} if focus == FENCE else frozenset()
    exact = {*exact_variables(program, focus), *plain, *fenced, *(() if focus in (None, FENCE) else (focus,))}
    carrying = frozenset(name for name in exact if not program.variable(name).is_array)
    told = stale_flags(program, frozenset(exact))
    view = _View(program, frozenset(exact), frozenset(plain), fenced, asked, asked == focus, _handing_on(program), carrying, told)
    templates = tuple(_Thread(view, t).traced() for t in program.templates)
    old = program.variable(asked)
    ghosts = [PAST, WROTE, READ_IT, *([PLAIN] if view.mixed else []),
              *(_carries(name) for name in sorted((*view.carrying, *view.handing_on))),
              *marked(told), *([ELEMENT] if old.is_array else []), *([_old(old.name, old.type)] if asked in plain else [])]
    means = (Variable(_doubted(v).name, BOOL, ghost=True) for v in marked(told))
    return replace(program, globals=(*program.globals, *(Variable(v.name, v.type, ghost=True) for v in ghosts), *means),
                   templates=(*templates, _watcher()), invariants=())


def _carries(name: str) -> Var:
    """Whether who synchronises with the last store of the variable knows."""
    return Var(f"<{name} carries>", BOOL)


def _doubted(mark: Var) -> Var:
    """Whether somebody stored the value who does not know."""
    return Var(f"{mark.name[:-1]} by one who does not know>", BOOL)


def _old(name: str, type_: Scalar) -> Var:
    """The value before the store of the past."""
    return Var(f"<{name} before a>", type_)


def _watcher() -> ThreadTemplate:
    edge = Edge(0, 0, Assign(PAST, TRUE), (Access(PAST, True),))
    return ThreadTemplate(WATCHER, Cfa(1, 0, (edge,)), count=1)


# --------------------------------------------------------------------------------------------------- the whole program
@dataclass(frozen=True, slots=True)
class _View:
    """What is known of the whole program: `handing_on` are mutexes, and flags of creation and of ends of threads.

    `carrying`: atomics from which one may learn; of an array, what was stored to one element says nothing about another.
    """

    program: Program
    exact: frozenset[str]
    plain: frozenset[str]
    fenced: frozenset[str]
    asked: str
    mixed: bool
    handing_on: frozenset[str]
    carrying: frozenset[str]
    told: dict[str, Told]

    @property
    def all_release(self) -> bool:
        """Whether all stores of what is asked about release."""
        return all(a.order.releases and a.kind is AccessKind.ATOMIC for _, _, a in self.program.accesses[self.asked] if a.write)


def _sets(op: Op, name: str) -> bool:
    """Whether the step sets the flag, rather than taking it back."""
    return any(isinstance(p, Assign) and name_of(p.target) == name and p.value != FALSE for p in primitive(op))


def _handing_on(program: Program) -> frozenset[str]:
    """Mutexes (taken where they are 0, given back by storing 0), and whether a thread was created and has ended."""
    steps: dict[str, list[Op]] = {}
    for t in program.templates:
        for e in t.cfa.edges:
            for name in dict.fromkeys((*map(name_of, op_reads(e.op)), *op_writes(e.op))):
                steps.setdefault(name, []).append(e.op)
    threads = {f"<{t.name} {what}>" for t in program.templates if t.role is Role.THREAD for what in ("created", "done")}
    found = []
    for v in program.globals:
        orders = all(a.orders and isinstance(a.lvalue, Var) and not a.whole for _, _, a in program.accesses.get(v.name, ()))
        if orders and not v.is_array and v.name in steps and (v.name in threads or (
                not v.name.startswith("<") and all(_locks(op, v.name) or _unlocks(op, v.name) for op in steps[v.name]))):
            found.append(v.name)
    return frozenset(found)


def _locks(op: Op, name: str) -> bool:
    parts = [p for p in primitive(op) if name in map(name_of, op_reads(p)) or name in op_writes(p)]
    match parts:
        case [Assume(cond=Binary(op="==", left=Read(lvalue=Var(name=read)), right=Const(value=0))),
              Assign(target=Var(name=taken), value=Const(value=value))]:
            return read == name == taken and value != 0
    return False


def _unlocks(op: Op, name: str) -> bool:
    parts = [p for p in primitive(op) if name in map(name_of, op_reads(p)) or name in op_writes(p)]
    return len(parts) == 1 and isinstance(parts[0], Assign) and parts[0].value == Const(0, parts[0].target.type)


# --------------------------------------------------------------------------------------------------- threads
class _Thread:
    """A template on the way into the view."""

    def __init__(self, view: _View, template: ThreadTemplate) -> None:
        self.view, self.template, self.cfa = view, template, template.cfa
        self.being_changed = _being_changed(self.cfa)
        fences = [a.order for e in self.cfa.edges for a in e.accesses if a.variable == FENCE]
        self.acquires = any(o.acquires for o in fences)
        self.releases = any(o.releases for o in fences)

    def traced(self) -> ThreadTemplate:
        edges = [new for e in self.cfa.edges for new in self._edges(e)]
        error = self.cfa.size
        checks = list(dict.fromkeys(check for e in self.cfa.edges for check in self._checks(e, error)))
        if checks:
            edges += [*checks, Edge(error, error + 1, Assign(PAST, TRUE), (Access(PAST, True),))]
        own = [KNOWS, *([BEHIND_ACQUIRE] if self.acquires else []), *([AT_RELEASE] if self.releases else [])]
        cfa = replace(self.cfa, size=error + 2 if checks else error, edges=tuple(edges), errors={}, critical=frozenset())
        ghosts = tuple(Variable(v.name, v.type, ghost=True) for v in own)
        return replace(self.template, cfa=cfa, locals=(*self.template.locals, *ghosts))

    # ----------------------------------------------------------------------------------------------- steps
    def _edges(self, e: Edge) -> Iterator[Edge]:
        """What becomes of a step: with what it hands on, and as the access of the past."""
        loads = [a for a in e.accesses if not a.write and a.kind is AccessKind.ATOMIC and a.variable != FENCE]
        waits = any(a.variable in self.view.plain for a in loads) and e.source == e.target
        flag = flag_read(e)
        if flag in self.view.told and (not e.stale or has_twin(self.cfa, e)):
            yield from (self._told(e, value, op) for value, op in told_reads(e, self.view.told[flag]))
        elif e.stale:
            if waits or not all(a.variable in self.view.exact for a in loads):
                yield self._step(e, None)
        elif not waits:
            yield self._step(e, None)
            for a in e.accesses:
                if a.variable == self.view.asked:
                    yield self._step(e, a)
            yield from (other for a in loads if a.variable in self.view.fenced for other in self._not_ordered(e, a))

    def _told(self, e: Edge, value: Const | None, op: Op) -> Edge:
        """The load of a flag that gives this value: what all know that stored it."""
        if value is None:
            return self._step(replace(e, op=op), None)
        [a] = e.accesses
        unknown = Read(_doubted(stored(a.variable, value)))
        return self._step(replace(e, op=Block((*primitive(op), Assign(KNOWS, _either(Read(KNOWS), Unary("!", unknown)))))), None)

    def _not_ordered(self, e: Edge, load: Access) -> Iterator[Edge]:
        """The step if what it reads does not happen before it: it found a value that some store wrote which it does not order."""
        values = stored_values(self.view.program, load.variable, released=not load.order.acquires)
        if values is None:
            same = (s for s in self.cfa.edges if (s.source, s.target, s.accesses) == (e.source, e.target, e.accesses))
            yield self._step(next(s for s in same if s.stale), None)
            return
        for value in values:
            yield self._step(replace(e, op=reading(e.op, load.variable, value), stale=True), None)

    def _step(self, e: Edge, past: Access | None) -> Edge:
        parts: list[Op] = []
        if past is not None:
            parts.append(Assume(Unary("!", _either(Read(WROTE), Read(READ_IT)))))
            if past.write and past.variable in self.view.plain:
                parts.append(Assign(_old(past.variable, past.lvalue.type), Read(past.lvalue)))
            if isinstance(past.lvalue, Element) and not past.whole:
                parts.append(Assign(ELEMENT, Cast(past.lvalue.index, ELEMENT.type)))
            elif self.view.program.variable(past.variable).is_array:
                parts.append(Havoc((ELEMENT,)))
        parts += [*primitive(e.op), *self._learns(e)]
        if past is not None:
            parts += [Assign(WROTE if past.write else READ_IT, TRUE), Assign(KNOWS, TRUE)]
            if self.view.mixed and past.kind is not AccessKind.ATOMIC:
                parts.append(Assign(PLAIN, TRUE))
        parts += self._shows(e)
        return replace(e, op=parts[0] if len(parts) == 1 else Block(tuple(parts)))

    def _learns(self, e: Edge) -> Iterator[Op]:
        """What the thread comes to know by the step."""
        read, written = set(map(name_of, op_reads(e.op))), set(op_writes(e.op))
        for name in sorted(self.view.handing_on & read):
            # Who creates a thread finds out that the last start was taken, which orders nothing: only who takes one learns.
            if name.endswith(" done>") or (name in written and not (name.startswith("<") and _sets(e.op, name))):
                yield _joins(KNOWS, _carries(name))
        for a in e.accesses:
            if a.variable == FENCE and a.order.acquires:
                yield _joins(KNOWS, BEHIND_ACQUIRE)
            if a.variable == FENCE and a.order.releases:
                yield Assign(AT_RELEASE, Read(KNOWS))
            if a.write or e.stale or a.kind is not AccessKind.ATOMIC or a.variable not in self.view.carrying:
                continue
            if a.order.acquires:
                yield _joins(KNOWS, _carries(a.variable))
            elif self.acquires:
                yield _joins(BEHIND_ACQUIRE, _carries(a.variable))

    def _shows(self, e: Edge) -> Iterator[Op]:
        """What others may come to know from the step."""
        for name, value in values_told(e, self.view.told):
            mark = stored(name, value)
            yield Assign(mark, TRUE)
            yield Assign(_doubted(mark), _either(Read(_doubted(mark)), Unary("!", Read(KNOWS))))
        for name in sorted(self.view.handing_on & set(op_writes(e.op))):
            if not name.startswith("<"):
                yield _joins(_carries(name), KNOWS)
            elif _sets(e.op, name):
                yield Assign(_carries(name), Read(KNOWS))
        for a in e.accesses:
            if not a.write or a.variable not in self.view.carrying:
                continue
            shown: list[Expr] = []
            if a.kind is AccessKind.ATOMIC:
                shown += [Read(KNOWS)] if a.order.releases else []
                shown += [Read(AT_RELEASE)] if self.releases else []
                shown += [Read(_carries(a.variable))] if not e.stale and self._changes(e, a) else []
            yield Assign(_carries(a.variable), _either(*shown))

    def _changes(self, e: Edge, a: Access) -> bool:
        """Whether the write is that of a read-modify-write."""
        read = {(b.variable, b.location) for b in e.accesses if b.kind is AccessKind.ATOMIC and not b.write}
        return e.protected and (a.variable, a.location) in read | self.being_changed[e.source]

    # ----------------------------------------------------------------------------------------------- races
    def _checks(self, e: Edge, error: int) -> Iterator[Edge]:
        """The way to where the step's access is next, and the past does not happen before it."""
        for a in e.accesses:
            if a.variable != self.view.asked or e.stale:
                continue
            changes = a.write or (self.view.mixed and e.protected)  # a read-modify-write may read another value than the latest
            conds: list[Expr] = [_either(Read(WROTE), Read(READ_IT)) if changes else Read(WROTE), Unary("!", Read(KNOWS))]
            if self.view.mixed and a.kind is AccessKind.ATOMIC:
                conds.append(Read(PLAIN))
            if isinstance(a.lvalue, Element) and not a.whole:
                conds.append(Binary("==", Read(ELEMENT), Cast(a.lvalue.index, ELEMENT.type)))
            if self.view.asked in self.view.plain and not a.write:
                if e.source == e.target:
                    continue
                if a.kind is AccessKind.ATOMIC and a.order.acquires and self.view.all_release:
                    conds += self._seen(e, a.lvalue)
            yield Edge(e.source, error, Block(tuple(Assume(c) for c in conds)), location=e.location, text=e.text)

    def _seen(self, e: Edge, read: Lvalue) -> Iterator[Expr]:
        """What must hold for the step to read the value that was there before the store of the past."""
        old = _old(name_of(read), read.type)

        def seen(v: Lvalue) -> Expr | None:
            return Read(old) if name_of(v) == name_of(read) else None

        for part in primitive(e.op):
            if not isinstance(part, Assume):
                return
            yield substitute(part.cond, seen)


_Reads: TypeAlias = frozenset[tuple[str, Location]]


def _being_changed(cfa: Cfa) -> list[_Reads]:
    """For each location the atomic reads, by variable and place in the text, that were surely made in this atomic section
    and after which nothing was written to the variable: a write at the same place is the other half of a read-modify-write."""
    def after(known: _Reads, e: Edge) -> _Reads:
        if e.target not in cfa.atomic:
            return frozenset()
        before = known if e.source in cfa.atomic else frozenset()
        read = frozenset((a.variable, a.location) for a in e.accesses if a.kind is AccessKind.ATOMIC and not a.write)
        written = set(op_writes(e.op))
        return frozenset(r for r in before | read if r[0] not in written)

    none: _Reads = frozenset()
    return [known or none for known in cfa.forward(none, after, lambda a, b: a & b)]


def _joins(target: Var, source: Var) -> Op:
    return Assign(target, _either(Read(target), Read(source)))


def _either(*conds: Expr) -> Expr:
    result: Expr = conds[0] if conds else FALSE
    for c in conds[1:]:
        result = Binary("||", result, c)
    return result
