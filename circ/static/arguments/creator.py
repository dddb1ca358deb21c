"""Threads that one thread creates in a loop, as their creator sees them: how many there are, where their handles are, who is
done. A forward analysis on the creator; nothing rests on it but what `circ.static.arguments.joining` says, which the kernel
checks.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from circ.static.arguments.argument import plain
from circ.static.arguments.numbering import Made, made_by
from frontend.program import (
    Assign,
    Assume,
    Binary,
    Const,
    Element,
    Expr,
    Havoc,
    Op,
    Program,
    Read,
    Values,
    Var,
    Variable,
    negate,
    op_writes,
    primitive,
    substitute,
    truth,
    variables,
)
from frontend.program.connectives import conjuncts
from frontend.program.fold import fold
from frontend.records import dataclass

NUMBER = "?number"


@dataclass(frozen=True, slots=True)
class Ghosts:
    """How threads of a template are numbered and awaited: the number of threads so far, at most `limit`, the thread's own local
    with its number, the array that says who is done, and what a handle is above the number."""

    count: Var
    limit: int
    own: Var
    done: Variable
    handle: int


@dataclass(frozen=True, slots=True)
class CreatorFacts:
    """At a location of the creator, whichever way it came."""

    none: bool = False
    """No thread has been created."""
    ahead: int | None = None
    """The number of threads less the counter: 0, or 1 between a creation and the count."""
    fresh: frozenset[Var] = frozenset()
    """Registers with the handle of the last thread created."""
    missing: int | None = None
    """How many of the last threads' handles are perhaps not in the array; None if that is not known."""
    read: frozenset[tuple[Var, Var]] = frozenset()
    """(x, k): x has the handle of thread k, if there is one."""
    joined: frozenset[Var] = frozenset()
    """k: thread k is done, if there is one."""
    zero: frozenset[Var] = frozenset()
    """k: it is 0."""
    through: frozenset[Var] = frozenset()
    """k: all threads below k are done."""
    tested: frozenset[Expr] = frozenset()
    """Conditions on the counter that were passed; here and in `within` it is called `NUMBER`."""
    within: frozenset[Expr] = frozenset()
    """Conditions that held of the counter at every creation."""
    over: bool = False
    """All threads are done."""

    def meet(self, other: CreatorFacts) -> CreatorFacts:
        within = other.within if self.none else self.within if other.none else self.within & other.within
        return CreatorFacts(self.none and other.none, self.ahead if self.ahead == other.ahead else None, self.fresh & other.fresh,
                     None if self.missing is None or other.missing is None else max(self.missing, other.missing),
                     self.read & other.read, self.joined & other.joined, self.zero & other.zero, self.through & other.through,
                     self.tested & other.tested, within, (self.over or self.none) and (other.over or other.none))

    def without(self, v: Var, counter: Var) -> CreatorFacts:
        """What is left when this variable is written."""
        gone = {v.name, NUMBER} if v == counter else {v.name}
        return replace(self, ahead=None if v == counter else self.ahead, fresh=self.fresh - {v},
                       read=frozenset(pair for pair in self.read if v not in pair), joined=self.joined - {v},
                       zero=self.zero - {v}, through=self.through - {v},
                       tested=frozenset(c for c in self.tested if not gone & variables(c)),
                       within=frozenset(c for c in self.within if v.name not in variables(c)))


@dataclass(frozen=True, slots=True)
class Variant:
    """What is known while these registers are 0, and those are not: a creation that may fail tells by its result."""

    zero: frozenset[Var]
    other: frozenset[Var]
    known: CreatorFacts

    def excludes(self, v: Variant) -> bool:
        return bool(self.zero & v.other or self.other & v.zero)

    def meet(self, v: Variant) -> Variant:
        return Variant(self.zero & v.zero, self.other & v.other, self.known.meet(v.known))

    def literals(self) -> list[Expr]:
        """The conditions, in a fixed order."""
        return sorted((Binary(op, Read(r), Const(0, r.type)) for op, rs in (("==", self.zero), ("!=", self.other)) for r in rs),
                      key=repr)

    def unless(self, said: Expr) -> Expr:
        """The formula, if the conditions hold."""
        return reduce(lambda e, c: Binary("||", negate(c), e), self.literals(), said)


def _merged(variants: tuple[Variant, ...], new: Variant) -> tuple[Variant, ...]:
    """The variants with a further one: any two exclude each other, so that each is what is known under its conditions."""
    for old in variants:
        if not old.excludes(new):
            return _merged(tuple(v for v in variants if v is not old), old.meet(new))
    return tuple(sorted((*variants, new), key=lambda v: repr(v.literals())))


class Creator:
    """The thread that creates others, and what it knows of them on its way."""

    def __init__(self, program: Program, made: Made, ghosts: Ghosts, handles: Variable) -> None:
        self.program, self.made, self.ghosts, self.handles = program, made, ghosts, handles
        self.own = frozenset(v.name for v in program.templates[made.creator].locals)

    def flow(self) -> list[tuple[Variant, ...]]:
        """The variants at each location of the creator; none where no path leads."""
        cfa = self.program.templates[self.made.creator].cfa
        results = _results(self.program, self.made)
        at: list[tuple[Variant, ...]] = [()] * cfa.size
        at[cfa.start] = (Variant(frozenset(), frozenset(), CreatorFacts(none=True, missing=0)),)
        out = cfa.leaving()
        todo = [cfa.start]
        while todo:
            q = todo.pop()
            for e in out[q]:
                for variant in at[q]:
                    after: Variant | None = variant
                    for part in primitive(e.op):
                        after = None if after is None else self._step(self.made, after, part, results)
                    new = at[e.target] if after is None else _merged(at[e.target], after)
                    if new != at[e.target]:
                        at[e.target] = new
                        todo.append(e.target)
        return at

    def _step(self, m: Made, here: Variant, part: Op, results: frozenset[Var]) -> Variant | None:
        """The variant after the step; None if its conditions exclude that."""
        known = self._after(m, here.known, part)
        zero, other = here.zero, here.other
        match part:
            case Assume(cond=c):
                tested = truth(c)
                match tested:
                    case Binary(op="==" | "!=" as op, left=Read(lvalue=Var() as v), right=Const(value=0)) if v in results:
                        if v in (other if op == "==" else zero):
                            return None
                        zero, other = (zero | {v}, other) if op == "==" else (zero, other | {v})
                    case _:
                        pass
            case Assign(target=Var() as v, value=e) if v in results:
                was = plain(e)
                is_zero = was in zero if was is not None else isinstance(e, Const) and e.value == 0
                zero, other = (zero | {v} if is_zero else zero - {v}), (other | {v} if was in other else other - {v})
            case Havoc(targets=ts):
                zero, other = zero - set(ts), other - set(ts)
            case _:
                pass
        return Variant(zero, other, known)

    def _after(self, m: Made, here: CreatorFacts, part: Op) -> CreatorFacts:
        ghosts = self.ghosts
        match part:
            case Assume(cond=c):
                done = {v for x, v in here.read if _awaits(c, x, ghosts.done.name)}
                passed = {fold(part) for part in conjuncts(truth(c))}
                tested = frozenset(_of_number(part, m.counter) for part in passed if m.counter.name in variables(part))
                over = here.over or any(_fails(w, k, passed) for w in here.within for k in here.through)
                return replace(here, joined=here.joined | done, tested=here.tested | tested, over=over)
            case Assign(target=Var() as v) if v == ghosts.count:
                missing = 1 if here.missing == 0 else None
                within = here.tested if here.none else here.tested & here.within
                return CreatorFacts(ahead=1 if here.ahead == 0 else None, fresh=here.fresh, missing=missing, zero=here.zero,
                                    through=here.zero, tested=here.tested, within=within)
            case Assign(target=Var() as v, value=e) if v.name in self.own:
                left = here.without(v, m.counter)
                if isinstance(e, Const) and e.value == 0:
                    left = replace(left, zero=left.zero | {v}, through=left.through | {v})
                elif v in here.through & here.joined and _one_more(e, v):
                    left = replace(left, through=left.through | {v})
                if v == m.counter:
                    zero = here.none and isinstance(e, Const) and e.value == 0
                    return replace(left, ahead=0 if zero or (here.ahead == 1 and _one_more(e, v)) else None)
                if _is_handle(e, ghosts) or (isinstance(e, Read) and e.lvalue in here.fresh):
                    return replace(left, fresh=left.fresh | {v})
                match e:
                    case Read(lvalue=Element(array=a, index=i)) if a == self.handles.name and here.missing == 0:
                        k = plain(i)
                        return left if k is None or k == v else replace(left, read=left.read | {(v, k)})
                    case _:
                        return left
            case Assign(target=Element(array=a, index=i), value=e) if a == self.handles.name:
                if here.none:
                    return here
                good = here.ahead == 1 and plain(i) == m.counter and isinstance(e, Read) and e.lvalue in here.fresh
                return replace(here, missing=0 if good and here.missing == 1 else None)
            case Assign(target=Var() as v):
                return here.without(v, m.counter)
            case Havoc(targets=ts):
                for t in ts:
                    here = here.without(t, m.counter) if isinstance(t, Var) else here
                lost = self.handles.name in op_writes(part) and not here.none
                return replace(here, missing=None) if lost else here
            case _:
                return here


# --------------------------------------------------------------------------------------------------- finding it
def made_in_turn(program: Program, number: int) -> Made | None:
    """How the threads of a template are made; the counter may also be what tells where their handles are stored."""
    def counted(creator: int, edge: int) -> Var | None:
        template = program.templates[creator]
        own = {v.name for v in template.locals}
        handles = {p.target for p in primitive(template.cfa.edges[edge].op) if isinstance(p, Assign) and isinstance(p.target, Var)
                   and p.target.name in own and isinstance(p.value, Binary) and p.value.op == "+"}
        stored = {plain(p.target.index) for e in template.cfa.edges for p in primitive(e.op) if isinstance(p, Assign)
                  and isinstance(p.target, Element) and isinstance(p.value, Read) and p.value.lvalue in handles}
        found = stored.pop() if len(stored) == 1 else None
        return found if found is not None and found.name in own else None

    return made_by(program, number, counted)


def ghosts_of(program: Program, m: Made) -> Ghosts | None:
    """The ghosts of threads that are made by one edge, if nobody else has a hand in them."""
    shared = {v.name: v for v in program.globals}
    create = list(primitive(program.templates[m.creator].cfa.edges[m.edge].op))
    cfa = program.templates[m.template].cfa
    counts = [p.target for p in create if isinstance(p, Assign) and isinstance(p.target, Var) and _one_more(p.value, p.target)]
    if len(counts) != 1 or counts[0].name not in shared:
        return None
    count = counts[0]
    limit = next((c.right.value for p in create if isinstance(p, Assume) if isinstance(c := truth(p.cond), Binary) and c.op == "<"
                  and c.left == Read(count) and isinstance(c.right, Const)), None)
    handle = next((p.value.right.value for p in create if isinstance(p, Assign) and isinstance(p.value, Binary)
                   and p.value.op == "+" and p.value.left == Read(count) and isinstance(p.value.right, Const)
                   and p.target != count), None)
    own = next((p.target for e in cfa.edges if e.source == cfa.start for p in primitive(e.op)
                if isinstance(p, Assign) and isinstance(p.target, Var) and p.target.name not in shared
                and isinstance(p.value, Binary) and p.value.op == "-" and p.value.left == Read(count)), None)
    if limit is None or handle is None or own is None:
        return None
    ends = {p.target.array for e in cfa.edges for p in primitive(e.op) if isinstance(p, Assign)
            if isinstance(p.target, Element) and p.target.index == Read(own) and p.target.array in shared}
    done = [shared[a] for a in sorted(ends) if shared[a].ghost and _zero(shared[a])]
    if len(done) != 1 or not _zero(shared[count.name]):
        return None
    for n, t in enumerate(program.templates):
        for i, e in enumerate(t.cfa.edges):
            written = set(op_writes(e.op))
            if (count.name in written and (n, i) != (m.creator, m.edge)) or (done[0].name in written and n != m.template) \
                    or (n == m.template and own.name in written and e.source != cfa.start):
                return None
    return Ghosts(count, limit, own, done[0], handle)


def handles_of(program: Program, m: Made) -> Variable | None:
    """The one array that only the creator writes, with its counter as the index, and from which it reads what it waits for."""
    creator = program.templates[m.creator]
    stored = {p.target.array for e in creator.cfa.edges for p in primitive(e.op) if isinstance(p, Assign)
              if isinstance(p.target, Element) and plain(p.target.index) == m.counter and isinstance(p.value, Read)}
    loaded = {p.value.lvalue.array for e in creator.cfa.edges for p in primitive(e.op)
              if isinstance(p, Assign) and isinstance(p.value, Read) and isinstance(p.value.lvalue, Element)}
    others = {name for n, t in enumerate(program.templates) if n != m.creator for e in t.cfa.edges for name in op_writes(e.op)}
    found = sorted((stored & loaded) - others)
    return next(v for v in (*program.globals, *creator.locals) if v.name == found[0]) if len(found) == 1 else None


def _of_number(c: Expr, counter: Var) -> Expr:
    """The condition on the counter, which is called `NUMBER` in it."""
    return substitute(c, lambda v: Read(Var(NUMBER, counter.type)) if v == counter else None)


def _fails(within: Expr, k: Var, passed: set[Expr]) -> bool:
    """Whether the conditions that were passed say that a local is no number within a bound; constants may be of other types."""
    if fold(negate(number_is(within, Read(k)))) in passed:
        return True
    match fold(negate(within)):
        case Binary(op=op, left=left, right=Const(value=c)) if (n := plain(left)) is not None and n.name == NUMBER:
            return any(isinstance(p, Binary) and p.op == op and plain(p.left) == k and isinstance(p.right, Const)
                       and p.right.value == c for p in passed)
        case _:
            return False


def number_is(c: Expr, e: Expr) -> Expr:
    """The condition with what `NUMBER` stands for."""
    return substitute(c, lambda v: e if isinstance(v, Var) and v.name == NUMBER else None)


def _results(program: Program, m: Made) -> frozenset[Var]:
    """The creator's registers that tell whether a thread was created, and copies of them."""
    edges = program.templates[m.creator].cfa.edges
    own = {v.name for v in program.templates[m.creator].locals}
    found = {p.target for p in primitive(edges[m.edge].op) if isinstance(p, Assign) and isinstance(p.target, Var)
             if p.target.name in own and isinstance(p.value, Const)}
    copies = [(p.target, plain(p.value)) for e in edges for p in primitive(e.op)
              if isinstance(p, Assign) and isinstance(p.target, Var) and p.target.name in own]
    size = -1
    while size != len(found):
        size = len(found)
        found |= {target for target, source in copies if source in found}
    return frozenset(found)


def _zero(v: Variable) -> bool:
    return isinstance(v.start, Values) and v.start.default == 0 and not v.start.elements


def _one_more(e: Expr, v: Var) -> bool:
    match e:
        case Binary(op="+", left=Read(lvalue=w), right=Const(value=1)):
            return w == v
        case _:
            return False


def _is_handle(e: Expr, ghosts: Ghosts) -> bool:
    match e:
        case Binary(op="+", left=Read(lvalue=v), right=Const(value=c)):
            return v == ghosts.count and c == ghosts.handle
        case _:
            return False


def _awaits(cond: Expr, x: Var, done: str) -> bool:
    """Whether the condition waits for the thread with this handle, or says that it is no thread's."""
    match truth(cond):
        case Read(lvalue=Element(array=a, index=i)) if a == done:
            return variables(i) == {x.name}
        case Binary(op="!=", left=Binary(op="/", left=Read(lvalue=v)), right=Const()):
            return v == x
        case _:
            return False
