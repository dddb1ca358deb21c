"""Threads that are created in a loop with an argument that only grows: no two of them have the same one.

The creator (one thread, one place) passes E(i), and between two creations i is counted up. All threads that have started
have arguments below E(i), or at most E(i) between a creation and the next count; one that is still to be taken is below too
and differs from all that were. The bound that the loop tests is what keeps i from wrapping.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from circ.static.arguments.argument import Argument, RegionPlace, of_thread
from circ.static.arguments.own_facts import NOTHING, LocalFacts, OwnFacts
from frontend.program import (
    Access,
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Edge,
    Element,
    Expr,
    Program,
    Read,
    Var,
    negate,
    op_reads,
    op_writes,
    primitive,
    substitute,
    truth,
    variables,
)
from frontend.program.fold import fold
from frontend.records import dataclass

BEFORE, CREATED, COUNTED, DONE = 1, 2, 4, 8


@dataclass(frozen=True, slots=True)
class Made:
    """How threads of a template get their arguments: the creator's edge, its counter, and the ghosts through which it goes."""

    template: int
    creator: int
    edge: int
    counter: Var
    value: Expr
    passed: Var
    flag: Var
    taken: Var
    """The thread's own local that has the argument from its first step on."""

    @property
    def told(self) -> bool:
        """Whether the argument is made of the counter and constants, so that the number of a thread tells it."""
        return variables(self.value) <= {self.counter.name}


class Numbering(Argument):
    """The argument about an array variable whose elements are told apart by what threads were created with."""

    def __init__(self, program: Program, variable: str) -> None:
        self.program, self.variable = program, variable
        self.own = [frozenset(v.name for v in t.locals) for t in program.templates]
        self.made = {m.template: m for n in range(len(program.templates)) if (m := made_by(program, n)) is not None}
        self.phases = {m.template: p for m in self.made.values() if (p := _phases(program, m)) is not None}
        self.made = {t: m for t, m in self.made.items() if t in self.phases}
        wanted = [self._wanted(n) for n in range(len(program.templates))]
        self.facts = [OwnFacts(t, frozenset(), w) for t, w in zip(program.templates, wanted, strict=True)] if self.made else []
        names = " and ".join(program.templates[t].name for t in self.made)
        self.words = f"threads of {names} are created with arguments that differ, and each touches the elements of its own"
        self.started = {t: still_has(program, m) for t, m in self.made.items()}

    @property
    def applies(self) -> bool:
        return bool(self.made)

    def _wanted(self, n: int) -> frozenset[str]:
        counters = {m.counter.name for m in self.made.values() if m.creator == n}
        names = set(counters)
        if counters:
            # What the counter is compared with keeps it from wrapping.
            names |= {v for e in self.program.templates[n].cfa.edges for p in primitive(e.op) if isinstance(p, Assume)
                      if counters & variables(p.cond) for v in variables(p.cond)}
        if n in self.made:
            for e in self.program.templates[n].cfa.edges:
                for a in e.accesses:
                    if a.variable == self.variable and isinstance(a.lvalue, Element):
                        names |= variables(a.lvalue.index)
        return frozenset(names) & self.own[n]

    # ----------------------------------------------------------------------------------------------- the argument
    def at(self, spot: RegionPlace) -> LocalFacts:
        return self.facts[spot[0]].at[spot[1]] or NOTHING

    def marks(self, template: int) -> Sequence[Hashable]:
        rows = [p for t, p in self.phases.items() if self.made[t].creator == template]
        started = self.started.get(template)
        return [(self.facts[template].at[q], *(p[q] for p in rows), started is not None and started[q])
                for q in range(self.program.templates[template].cfa.size)]

    def alone(self, spot: RegionPlace) -> Iterator[Expr]:
        yield from self.at(spot).formulas()
        for t, m in self.made.items():
            if m.creator == spot[0] and self.phases[t][spot[1]] & (CREATED | COUNTED) and m.counter.type.signed:
                yield Binary(">=", Read(m.counter), Const(0, m.counter.type))
        here = self.made.get(spot[0])
        limit = None if here is None else self._limit(here)
        if here is not None and limit is not None:
            if self.started[spot[0]][spot[1]]:
                yield Binary("<", Read(here.taken), limit)
            if spot[1] == self.program.templates[spot[0]].cfa.start:
                yield Binary("||", negate(Read(here.flag)), Binary("<", Read(here.passed), limit))

    def _limit(self, m: Made) -> Expr | None:
        """What all arguments are below, if the creator compares its counter with a constant, or passes it as a wider type."""
        source = self.program.templates[m.creator].cfa.edges[m.edge].source
        for c in self.at((m.creator, source)).formulas():
            match c:
                case Binary(op="<" | "<=" as op, left=Read(lvalue=v), right=Const(value=n, type=t)) if v == m.counter:
                    top = Const(n + (op == "<="), t)
                    return fold(substitute(m.value, lambda w, top=top: top if w == m.counter else None))  # type: ignore[misc]
                case _:
                    pass
        match m.value:
            case Cast(arg=Read(lvalue=v), type=t) if v == m.counter and t.width > v.type.width:
                return Const(v.type.high + 1, t)
            case _:
                return None

    def together(self, one: RegionPlace, two: RegionPlace) -> Iterator[Expr]:
        for first, second, n, k in ((one, two, 1, 2), (two, one, 2, 1)):
            m = self.made.get(second[0])
            if m is None:
                continue
            argument: Expr = of_thread(Read(m.taken), k, self.own[second[0]])
            has = self.started[m.template][second[1]]
            if first[0] == m.creator:
                phase = self.phases[m.template][first[1]]
                if phase & (CREATED | COUNTED):
                    order = "<=" if phase & CREATED else "<"
                    limit = of_thread(m.value, n, self.own[m.creator])
                    if has:
                        yield Binary(order, argument, limit)
                    yield Binary("||", negate(Read(m.flag)), Binary(order, Read(m.passed), limit))
            if first[0] == m.template and self.started[m.template][first[1]]:
                other = of_thread(Read(m.taken), n, self.own[first[0]])
                yield Binary("||", negate(Read(m.flag)), Binary("!=", Read(m.passed), other))
                if has and n == 1:
                    yield Binary("!=", other, argument)

    def apart(self, one: RegionPlace, a: Access, two: RegionPlace, b: Access) -> bool:
        if a.whole or b.whole or not isinstance(a.lvalue, Element) or not isinstance(b.lvalue, Element):
            return False
        if one[0] != two[0]:
            return self._ahead(one, a.lvalue, two, b.lvalue) or self._ahead(two, b.lvalue, one, a.lvalue)
        m = self.made.get(one[0])
        if m is None:
            return False
        i, j = self.at(one).root(a.lvalue.index), self.at(two).root(b.lvalue.index)
        return i == j and variables(i) == {m.taken.name} and self.started[one[0]][one[1]] and self.started[two[0]][two[1]]

    def _ahead(self, creator: RegionPlace, a: Element, made: RegionPlace, b: Element) -> bool:
        """Whether the creator is at the element of the thread that it creates next, and the other thread at its own."""
        m = self.made.get(made[0])
        if m is None or m.creator != creator[0] or not self.started[made[0]][made[1]]:
            return False
        if self.phases[m.template][creator[1]] & (CREATED | DONE):
            return False
        i, j = self.at(creator).root(a.index), self.at(made).root(b.index)
        return variables(i) == {m.counter.name} and variables(j) == {m.taken.name}

    def broken(self, one: RegionPlace, two: RegionPlace) -> bool:
        """A thread that has started before one was created, of which nothing could be said."""
        m = self.made.get(one[0])
        return m is not None and two[0] == m.creator and self.started[one[0]][one[1]] and \
            not self.phases[m.template][two[1]] & (CREATED | COUNTED | DONE)


# --------------------------------------------------------------------------------------------------- finding it
def made_by(program: Program, number: int, counted: Callable[[int, int], Var | None] = lambda creator, edge: None) -> Made | None:
    """How the threads of a template are made, if that is by one edge of one thread that counts.

    The counter is what their arguments are made of, or else what `counted` says of the creator and its edge.
    """
    arrival = arriving(program, number)
    if arrival is None:
        return None
    flag, own, passed = arrival
    writers = [(n, i) for n, u in enumerate(program.templates) for i, e in enumerate(u.cfa.edges)
               if passed.name in op_writes(e.op)]
    if len(writers) != 1 or program.templates[writers[0][0]].count != 1:
        return None
    creator, edge = writers[0]
    value = next((p.value for p in primitive(program.templates[creator].cfa.edges[edge].op)
                  if isinstance(p, Assign) and p.target == passed), None)
    if value is None:
        return None
    names = {v.name for v in program.templates[creator].locals}
    counters = [v for v in dict.fromkeys(op_reads(Assign(passed, value))) if isinstance(v, Var)]
    counter = counters[0] if len(counters) == 1 and counters[0].name in names else counted(creator, edge)
    return None if counter is None else Made(number, creator, edge, counter, value, passed, flag, own)


def awaited_flag(program: Program, number: int) -> Var | None:
    """The flag that a thread of a template waits for at its start, if that is all it may do there."""
    cfa = program.templates[number].cfa
    first = [e for e in cfa.edges if e.source == cfa.start]
    if len(first) != 1 or any(e.target == cfa.start for e in cfa.edges):
        return None
    return next((c.lvalue for p in primitive(first[0].op) if isinstance(p, Assume)
                 if isinstance(c := truth(p.cond), Read) and isinstance(c.lvalue, Var)), None)


def arriving(program: Program, number: int) -> tuple[Var, Var, Var] | None:
    """How a thread of a template begins: the flag it waits for, its local that gets the argument, and where that is passed."""
    shared = {v.name for v in program.globals}
    flag, cfa = awaited_flag(program, number), program.templates[number].cfa
    taken = next(((p.target, p.value.lvalue) for e in cfa.edges if e.source == cfa.start for p in primitive(e.op)
                  if isinstance(p, Assign) and isinstance(p.target, Var) and p.target.name not in shared
                  and isinstance(p.value, Read) and isinstance(p.value.lvalue, Var) and p.value.lvalue.name in shared), None)
    return None if flag is None or taken is None else (flag, *taken)


def _phases(program: Program, m: Made) -> list[int] | None:
    """For each location of the creator what may have happened last: nothing, a creation, a count; or that no creation follows,
    and so nothing need be known of the counter. None if it does not fit."""
    cfa = program.templates[m.creator].cfa
    phases = [0] * cfa.size
    phases[cfa.start] = BEFORE
    out: list[list[int]] = [[] for _ in range(cfa.size)]
    for i, e in enumerate(cfa.edges):
        out[e.source].append(i)
    todo = [cfa.start]
    while todo:
        q = todo.pop()
        for i in out[q]:
            e = cfa.edges[i]
            after = phases[q]
            if i == m.edge:
                if after & CREATED:
                    return None
                after = CREATED
            elif m.counter.name in op_writes(e.op):
                if _counts(e, m.counter):
                    after = (after & BEFORE) | (COUNTED if after & (CREATED | COUNTED) else 0)
                elif after != BEFORE:
                    return None
            if after & ~phases[e.target]:
                phases[e.target] |= after
                todo.append(e.target)
    ahead = _leading_to(program, m)
    return [phase if q in ahead else DONE for q, phase in enumerate(phases)]


def _leading_to(program: Program, m: Made) -> set[int]:
    """The creator's locations from which it may come to create a thread."""
    cfa = program.templates[m.creator].cfa
    into: list[list[int]] = [[] for _ in range(cfa.size)]
    for e in cfa.edges:
        into[e.target].append(e.source)
    found = {cfa.edges[m.edge].source}
    todo = list(found)
    while todo:
        for q in into[todo.pop()]:
            if q not in found:
                found.add(q)
                todo.append(q)
    return found


def _counts(e: Edge, counter: Var) -> bool:
    """Whether the step adds a positive constant to the counter, and nothing else writes it."""
    writes = [p for p in primitive(e.op) if counter.name in op_writes(p)]
    match writes:
        case [Assign(value=Binary(op="+", left=Read(lvalue=v), right=Const(value=c)))]:
            return v == counter and c > 0
        case _:
            return False


def still_has(program: Program, m: Made) -> list[bool]:
    """The locations at which the thread's local still has the argument."""
    cfa = program.templates[m.template].cfa
    lost = cfa.behind(e.target for e in cfa.edges if m.taken.name in op_writes(e.op) and e.source != cfa.start)
    return [q != cfa.start and q not in lost for q in range(cfa.size)]
