"""Threads that are created in a loop and joined one by one through an array of handles: what a joined thread did is over.

The creator counts in step with the ghost number of threads, so the thread with number r was created with the argument E(r), and
`handles[j]` is the handle of thread j for every j below that number. Who has read `handles[k]` and waited for that thread knows
that thread k is done, or that there is none; a thread that still runs is not done, so it has another number and another argument.
It takes formulas for every index, so there must be no atomic locations.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from circ.arguments import Argument, Spot, of_thread
from circ.numbering import Made, made_by, still_has
from circ.ownfacts import NOTHING, Facts, OwnFacts
from circ.sites import ANY
from frontend.cfa import Access, Assign, Assume, Havoc, Op, Program, Values, Variable, op_writes, primitive
from frontend.expr import Binary, Cast, Const, Element, Expr, Read, Var, negate, substitute, truth, variables
from frontend.fold import fold


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
class Known:
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

    def meet(self, other: Known) -> Known:
        return Known(self.none and other.none, self.ahead if self.ahead == other.ahead else None, self.fresh & other.fresh,
                     None if self.missing is None or other.missing is None else max(self.missing, other.missing),
                     self.read & other.read, self.joined & other.joined)

    def without(self, v: Var, counter: Var) -> Known:
        """What is left when this local is written."""
        return replace(self, ahead=None if v == counter else self.ahead, fresh=self.fresh - {v},
                       read=frozenset(pair for pair in self.read if v not in pair), joined=self.joined - {v})


@dataclass(frozen=True, slots=True)
class Variant:
    """What is known while these registers are 0, and those are not: a creation that may fail tells by its result."""

    zero: frozenset[Var]
    other: frozenset[Var]
    known: Known

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


class Joining(Argument):
    """The argument about an array variable of which each thread has an element, and the creator those of threads that it joined
    or has still to create."""

    def __init__(self, program: Program, variable: str) -> None:
        self.program, self.variable = program, variable
        self.own = [frozenset(v.name for v in t.locals) for t in program.templates]
        self.made: Made | None = None
        exact = program.ints == "exact" and not any(t.cfa.atomic for t in program.templates)
        found = [(m, g, h) for n in range(len(program.templates)) if exact and (m := made_by(program, n)) is not None
                 and (g := _ghosts(program, m)) is not None and (h := _handles(program, m)) is not None]
        if len(found) != 1:
            return
        self.made, self.ghosts, self.handles = found[0]
        name = program.templates[self.made.template].name
        self.words = (f"threads of {name} are numbered as they are created, each touches what belongs to its number, and the "
                      "creator what belongs to one that it joined or creates next")
        self.known_at = self._flow()
        self.facts = [OwnFacts(t, frozenset(), self._wanted(n)) for n, t in enumerate(program.templates)]
        self.has = still_has(program, self.made)
        self.running = self._running()

    @property
    def applies(self) -> bool:
        return self.made is not None and any(
            v.known.joined or v.known.ahead is not None for variants in self.known_at for v in variants)

    def _wanted(self, n: int) -> frozenset[str]:
        used = [a.lvalue.index for e in self.program.templates[n].cfa.edges for a in e.accesses
                if a.variable == self.variable and isinstance(a.lvalue, Element)]
        return self.own[n] & {name for index in used for name in variables(index)}

    def _running(self) -> list[bool]:
        """The locations of the created thread at which it has started and surely not said that it is done."""
        assert self.made is not None
        cfa = self.program.templates[self.made.template].cfa
        over = {e.target for e in cfa.edges if self.ghosts.done.name in op_writes(e.op)}
        out = cfa.leaving()
        todo = sorted(over)
        while todo:
            for e in out[todo.pop()]:
                if e.target not in over:
                    over.add(e.target)
                    todo.append(e.target)
        return [q != cfa.start and q not in over for q in range(cfa.size)]

    # ----------------------------------------------------------------------------------------------- the creator
    def _flow(self) -> list[tuple[Variant, ...]]:
        assert self.made is not None
        cfa = self.program.templates[self.made.creator].cfa
        results = _results(self.program, self.made)
        at: list[tuple[Variant, ...]] = [()] * cfa.size
        at[cfa.start] = (Variant(frozenset(), frozenset(), Known(none=True, missing=0)),)
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
                was = _plain(e)
                is_zero = was in zero if was is not None else isinstance(e, Const) and e.value == 0
                zero, other = (zero | {v} if is_zero else zero - {v}), (other | {v} if was in other else other - {v})
            case Havoc(targets=ts):
                zero, other = zero - set(ts), other - set(ts)
            case _:
                pass
        return Variant(zero, other, known)

    def _after(self, m: Made, here: Known, part: Op) -> Known:
        ghosts = self.ghosts
        match part:
            case Assume(cond=c):
                done = {v for x, v in here.read if _awaits(c, x, ghosts.done.name)}
                return replace(here, joined=here.joined | done)
            case Assign(target=Var() as v) if v == ghosts.count:
                missing = 1 if here.missing == 0 else None
                return Known(ahead=1 if here.ahead == 0 else None, fresh=here.fresh, missing=missing)
            case Assign(target=Var() as v, value=e) if v.name in self.own[m.creator]:
                left = here.without(v, m.counter)
                if v == m.counter:
                    zero = here.none and isinstance(e, Const) and e.value == 0
                    return replace(left, ahead=0 if zero or (here.ahead == 1 and _one_more(e, v)) else None)
                if _is_handle(e, ghosts) or (isinstance(e, Read) and e.lvalue in here.fresh):
                    return replace(left, fresh=left.fresh | {v})
                match e:
                    case Read(lvalue=Element(array=a, index=i)) if a == self.handles.name and here.missing == 0:
                        k = _plain(i)
                        return left if k is None or k == v else replace(left, read=left.read | {(v, k)})
                    case _:
                        return left
            case Assign(target=Element(array=a, index=i), value=e) if a == self.handles.name:
                if here.none:
                    return here
                good = here.ahead == 1 and _plain(i) == m.counter and isinstance(e, Read) and e.lvalue in here.fresh
                return replace(here, missing=0 if good and here.missing == 1 else None)
            case Havoc(targets=ts):
                for t in ts:
                    here = here.without(t, m.counter) if isinstance(t, Var) else here
                lost = self.handles.name in op_writes(part) and not here.none
                return replace(here, missing=None) if lost else here
            case _:
                return here

    # ----------------------------------------------------------------------------------------------- the argument
    def at(self, spot: Spot) -> Facts:
        return self.facts[spot[0]].at[spot[1]] or NOTHING

    def marks(self, template: int) -> Sequence[Hashable]:
        assert self.made is not None
        size = self.program.templates[template].cfa.size
        if template == self.made.creator:
            return [(self.known_at[q], self.facts[template].at[q]) for q in range(size)]
        if template == self.made.template:
            return [(self.facts[template].at[q], self.has[q], self.running[q]) for q in range(size)]
        return [None] * size

    def alone(self, spot: Spot) -> Iterator[Expr]:
        assert self.made is not None
        m, g = self.made, self.ghosts
        count = Read(g.count)
        yield Binary("<=", count, Const(g.limit, g.count.type))
        if spot[0] == m.creator:
            yield from self.at(spot).formulas()
            variants = self.known_at[spot[1]]
            for variant in variants:
                yield from variant.literals() if len(variants) == 1 else ()
                yield from map(variant.unless, self._creator(variant.known, m))
        elif spot[0] == m.template and spot[1] == self.program.templates[m.template].cfa.start:
            last = Binary("-", count, Const(1, g.count.type))
            for said in (Binary(">=", count, Const(1, g.count.type)), Binary("==", Read(m.passed), self._argument(m, last)),
                         negate(Read(self._done(last)))):
                yield Binary("||", negate(Read(m.flag)), said)
        elif spot[0] == m.template:
            yield from self.at(spot).formulas()
            yield Binary("<", Read(g.own), count)
            if self.has[spot[1]]:
                yield Binary("==", Read(m.taken), self._argument(m, Read(g.own)))
            if self.running[spot[1]]:
                yield negate(Read(self._done(Read(g.own))))

    def _creator(self, here: Known, m: Made) -> Iterator[Expr]:
        g = self.ghosts
        count, t = Read(g.count), g.count.type
        if here.none:
            yield Binary("==", count, Const(0, t))
            yield negate(Read(m.flag))
        if here.ahead is not None:
            yield Binary("==", count, Binary("+", fold(Cast(Read(m.counter), t)), Const(here.ahead, t)))
        for x in sorted(here.fresh, key=repr):
            yield Binary("==", Read(x), fold(Cast(Binary("+", count, Const(g.handle - 1, t)), x.type)))
        for x, k in sorted(here.read, key=repr):
            number = fold(Cast(Read(k), t))
            yield Binary("||", Binary(">=", number, count),
                         Binary("==", Read(x), fold(Cast(Binary("+", number, Const(g.handle, t)), x.type))))
        for k in sorted(here.joined, key=repr):
            number = fold(Cast(Read(k), t))
            yield Binary("||", Binary(">=", number, count), Read(self._done(number)))

    def _done(self, number: Expr) -> Element:
        return Element(self.ghosts.done.name, number, self.ghosts.done.type)

    def _argument(self, m: Made, number: Expr) -> Expr:
        """What the thread with this number was created with."""
        counter = fold(Cast(number, m.counter.type))
        return substitute(m.value, lambda v: counter if v == m.counter else None)

    def together(self, one: Spot, two: Spot) -> Iterator[Expr]:
        assert self.made is not None
        m, g = self.made, self.ghosts
        start = self.program.templates[m.template].cfa.start
        if one[0] != m.template or two[0] != m.template or one[1] == two[1] == start:
            return
        first, second = (of_thread(Read(g.own), n, self.own[m.template]) for n in (1, 2))
        if start in (one[1], two[1]):
            last = Binary("-", Read(g.count), Const(1, g.count.type))
            yield Binary("||", negate(Read(m.flag)), Binary("!=", second if one[1] == start else first, last))
        else:
            yield Binary("!=", first, second)

    def everywhere(self, spot: Spot) -> Iterator[Expr]:
        assert self.made is not None
        g = self.ghosts
        t = g.count.type
        index = Read(ANY)
        yield Binary("||", negate(Read(self._done(index))), Binary("<", index, Read(g.count)))
        for variant in self.known_at[spot[1]] if spot[0] == self.made.creator else ():
            if variant.known.missing is not None:
                stored = Binary("==", Read(Element(self.handles.name, index, self.handles.type)),
                                fold(Cast(Binary("+", index, Const(g.handle, t)), self.handles.type)))
                there = Binary("-", Read(g.count), Const(variant.known.missing, t))
                yield variant.unless(Binary("||", Binary(">=", index, there), stored))

    def apart(self, one: Spot, a: Access, two: Spot, b: Access) -> bool:
        if a.whole or b.whole or not isinstance(a.lvalue, Element) or not isinstance(b.lvalue, Element):
            return False
        m = self.made
        if m is not None and one[0] == two[0] == m.template:
            i, j = self.at(one).root(a.lvalue.index), self.at(two).root(b.lvalue.index)
            return i == j and variables(i) == {m.taken.name} and self.has[one[1]] and self.has[two[1]]
        return self._other(one, a.lvalue, two, b.lvalue) or self._other(two, b.lvalue, one, a.lvalue)

    def _other(self, creator: Spot, a: Element, made: Spot, b: Element) -> bool:
        """Whether a created thread is at its own element, and the creator at that of one that it joined or creates next."""
        m = self.made
        if m is None or creator[0] != m.creator or made[0] != m.template or not self.has[made[1]]:
            return False
        i, j = self.at(creator).root(a.index), self.at(made).root(b.index)
        if len(variables(i)) != 1 or variables(j) != {m.taken.name}:
            return False
        known = [v.known for v in self.known_at[creator[1]]]
        ahead = variables(i) == {m.counter.name} and all(k.ahead == 0 for k in known)
        joined = self.running[made[1]] and all(variables(i) <= {v.name for v in k.joined} for k in known)
        return ahead or joined


# --------------------------------------------------------------------------------------------------- finding it
def _ghosts(program: Program, m: Made) -> Ghosts | None:
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


def _handles(program: Program, m: Made) -> Variable | None:
    """The one array that only the creator writes, with its counter as the index, and from which it reads what it waits for."""
    creator = program.templates[m.creator]
    stored = {p.target.array for e in creator.cfa.edges for p in primitive(e.op) if isinstance(p, Assign)
              if isinstance(p.target, Element) and _plain(p.target.index) == m.counter and isinstance(p.value, Read)}
    loaded = {p.value.lvalue.array for e in creator.cfa.edges for p in primitive(e.op)
              if isinstance(p, Assign) and isinstance(p.value, Read) and isinstance(p.value.lvalue, Element)}
    others = {name for n, t in enumerate(program.templates) if n != m.creator for e in t.cfa.edges for name in op_writes(e.op)}
    found = sorted((stored & loaded) - others)
    return next(v for v in (*program.globals, *creator.locals) if v.name == found[0]) if len(found) == 1 else None


def _results(program: Program, m: Made) -> frozenset[Var]:
    """The creator's registers that tell whether a thread was created, and copies of them."""
    edges = program.templates[m.creator].cfa.edges
    own = {v.name for v in program.templates[m.creator].locals}
    found = {p.target for p in primitive(edges[m.edge].op) if isinstance(p, Assign) and isinstance(p.target, Var)
             if p.target.name in own and isinstance(p.value, Const)}
    copies = [(p.target, _plain(p.value)) for e in edges for p in primitive(e.op)
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


def _plain(index: Expr) -> Var | None:
    """The variable that an expression is, perhaps as a wider type."""
    while isinstance(index, Cast) and index.type.width >= index.arg.type.width:
        index = index.arg
    return index.lvalue if isinstance(index, Read) and isinstance(index.lvalue, Var) else None


def _awaits(cond: Expr, x: Var, done: str) -> bool:
    """Whether the condition waits for the thread with this handle, or says that it is no thread's."""
    match truth(cond):
        case Read(lvalue=Element(array=a, index=i)) if a == done:
            return variables(i) == {x.name}
        case Binary(op="!=", left=Binary(op="/", left=Read(lvalue=v)), right=Const()):
            return v == x
        case _:
            return False
