"""Elements that are told apart by bounds of their index that are expressions: `a[0]` to `a[n/2 - 1]` for one thread, `a[n/2]` to
`a[n - 1]` for another, blocks `from` to `to` that each gets in a struct of its own, even and odd elements.

Bounds may speak of globals that one other thread, the creator, has set before it created this one and leaves alone from then on;
what the creator knows of them then (`n >= 1`) is known in the thread. Whether two indices with such bounds can be equal is asked
of the solver; the kernel asks again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property

from circ.static.arguments.argument import Argument, RegionPlace, of_thread
from circ.static.arguments.bounds.known_bounds import BoundsOfCells, Facts, formulas, names_near, writes_cell
from frontend.program import (
    BOOL,
    Access,
    Assign,
    Assume,
    Binary,
    Const,
    Element,
    Expr,
    Lvalue,
    Op,
    Program,
    Read,
    Var,
    name_of,
    negate,
    op_writes,
    primitive,
    variables,
)
from frontend.program.connectives import disjoin
from frontend.records import dataclass

_EFFORT = 2_000_000
"""What the solver may spend on one question."""
_MOST_ASKED = 60
"""Questions of which one must show that the argument says something."""


@dataclass(frozen=True, slots=True)
class Created:
    """A template whose threads wait for a flag at their start, which the thread of one other template sets."""

    flag: Var
    creator: int
    edges: tuple[int, ...]
    """Those of the creator's edges that set the flag."""


class Spans(Argument):
    """The argument about an array variable whose elements are touched within bounds."""

    def __init__(self, program: Program, variable: str) -> None:
        self.program, self.variable = program, variable
        self.words = "the threads touch elements within bounds of the index that exclude each other"
        self._writers: dict[str, set[int]] = {}
        for n, t in enumerate(program.templates):
            for e in t.cfa.edges:
                for name in op_writes(e.op):
                    self._writers.setdefault(name, set()).add(n)
        self.own = [frozenset(v.name for v in t.locals) for t in program.templates]
        self._apart: dict[tuple[object, ...], bool] = {}
        self._at: dict[RegionPlace, Facts] = {}
        self._later: dict[Created, frozenset[int]] = {}
        self._makers: dict[int, BoundsOfCells] = {}

    @cached_property
    def _users(self) -> dict[int, list[tuple[int, Access]]]:
        """For each template the accesses, and where they are next."""
        found: dict[int, list[tuple[int, Access]]] = {}
        for n, e, a in self.program.accesses.get(self.variable, ()):
            found.setdefault(n, []).append((e.source, a))
        return found

    @cached_property
    def _decisive(self) -> list[frozenset[str]]:
        """For each template what tells which cell an access means, or whether it comes to it: indices, and tests just before."""
        found = []
        for n, t in enumerate(self.program.templates):
            places = {q for q, _ in self._users.get(n, ())}
            tests = [p.cond for e in t.cfa.edges if e.target in places for p in primitive(e.op) if isinstance(p, Assume)]
            indices = [a.lvalue.index for _, a in self._users.get(n, ()) if isinstance(a.lvalue, Element)]
            found.append(frozenset(v for e in (*tests, *indices) for v in variables(e)))
        return found

    @property
    def applies(self) -> bool:
        """Whether some accesses of two templates are told apart."""
        users = self._users
        if len(users) < 2 or not any(self._decisive[n] & self.own[n] for n in users):
            return False
        pairs = [((n, q), a, (m, p), b) for n in users for m in users if n < m for q, a in users[n] for p, b in users[m]
                 if a.write or b.write]
        return any(self.apart(*pair) for pair in pairs[:_MOST_ASKED])

    # ----------------------------------------------------------------------------------------------- what is known
    @cached_property
    def _created(self) -> dict[int, Created]:
        return {n: made for n in range(len(self.program.templates)) if (made := _made(self.program, n)) is not None}

    def _only_by(self, cell: Lvalue, writer: int) -> bool:
        return self._writers.get(name_of(cell), set()) <= {writer}

    @cached_property
    def _facts(self) -> list[BoundsOfCells]:
        makers = {made.creator for made in self._created.values()}
        for n in makers:
            self._makers[n] = BoundsOfCells(self.program.templates[n], lambda v, n=n: self._known(n, v))  # type: ignore[misc]
        return [self._makers[n] if n in makers else BoundsOfCells(t, lambda v, n=n: self._known(n, v), self._given(n))  # type: ignore[misc]
                for n, t in enumerate(self.program.templates)]

    def _known(self, n: int, cell: Lvalue) -> bool:
        """Whether facts of this template may speak of the cell: only its thread changes it, or only the one that created it."""
        name = name_of(cell)
        if name == self.variable or name not in self._wanted[n]:
            return False
        if name in self.own[n]:
            return True
        if self.program.templates[n].count == 1 and self._only_by(cell, n):
            return True
        made = self._created.get(n)
        return made is not None and self._only_by(cell, made.creator)

    def _after(self, made: Created) -> frozenset[int]:
        """Where the creator may have created a thread of the template."""
        if made not in self._later:
            cfa = self.program.templates[made.creator].cfa
            self._later[made] = _connected([cfa.edges[i].target for i in made.edges], [(e.source, e.target) for e in cfa.edges])
        return self._later[made]

    def _given(self, n: int) -> Facts:
        """What the creator knows of globals whenever it creates a thread of the template."""
        made = self._created.get(n)
        if made is None:
            return frozenset()
        edges = self.program.templates[made.creator].cfa.edges
        known = [self._makers[made.creator].behind(edges[i]) for i in made.edges]
        given = frozenset.intersection(*(k for k in known if k is not None)) if any(k is not None for k in known) else frozenset()
        mine = self.own[made.creator]
        return frozenset(f for f in given if not any(name_of(v) in mine or not self._known(n, v) for v in f.cells))

    def at(self, spot: RegionPlace) -> Facts:
        if spot not in self._at:
            known = self._facts[spot[0]].at[spot[1]] if spot[1] in self._before[spot[0]] else None
            self._at[spot] = known or frozenset()
        return self._at[spot]

    @cached_property
    def _before(self) -> list[frozenset[int]]:
        """Where each thread may still come to an access, or create one that does: what it knows matters no longer elsewhere."""
        found = []
        for n, t in enumerate(self.program.templates):
            places = [q for q, _ in self._users.get(n, ())]
            places += [t.cfa.edges[i].source for m, made in self._created.items() if made.creator == n and m in self._users
                       for i in made.edges]
            found.append(_connected(places, [(e.target, e.source) for e in t.cfa.edges]))
        return found

    @cached_property
    def _wanted(self) -> list[frozenset[str]]:
        """For each template what its indices are made of and compared with; for a creator that of the threads it creates, too."""
        names = list(self._decisive)
        closed = [names_near(t, wanted) for t, wanted in zip(self.program.templates, names, strict=True)]
        for n, made in self._created.items():
            shared = closed[n] - self.own[n]
            names[made.creator] |= shared
            names[n] |= names_near(self.program.templates[made.creator], shared) - self.own[made.creator]
        return [names_near(t, wanted) for t, wanted in zip(self.program.templates, names, strict=True)]

    # ----------------------------------------------------------------------------------------------- the argument
    def marks(self, template: int) -> Sequence[Hashable]:
        return [(self.at((template, q)), *self._not_yet((template, q)))
                for q in range(self.program.templates[template].cfa.size)]

    def _not_yet(self, spot: RegionPlace) -> Iterator[Var]:
        """The flags of the threads with indices that this thread has surely not created there."""
        for n, made in self._created.items():
            if made.creator == spot[0] and self._users.get(n) and spot[1] not in self._after(made):
                yield made.flag

    def alone(self, spot: RegionPlace) -> Iterator[Expr]:
        yield from (negate(Read(flag)) for flag in self._not_yet(spot))
        made = self._created.get(spot[0])
        if spot[1] != self.program.templates[spot[0]].cfa.start or made is None:
            yield from formulas(self.at(spot))
            return
        for e in formulas(self._given(spot[0])):
            yield disjoin(negate(Read(made.flag)), e)

    def apart(self, one: RegionPlace, a: Access, two: RegionPlace, b: Access) -> bool:
        if self._dead(one) or self._dead(two):
            return True
        if one[0] == two[0] or a.whole or b.whole or not isinstance(a.lvalue, Element) or not isinstance(b.lvalue, Element):
            return False
        i, j = of_thread(a.lvalue.index, 1, self.own[one[0]]), of_thread(b.lvalue.index, 2, self.own[two[0]])
        mine, other = self.at(one), self.at(two)
        if i.type != j.type or not mine or not other:
            return False
        key = (one[0], mine, i, two[0], other, j)
        if key not in self._apart:
            said = [*(of_thread(e, 1, self.own[one[0]]) for e in formulas(mine)),
                    *(of_thread(e, 2, self.own[two[0]]) for e in formulas(other)), Binary("==", i, j)]
            self._apart[key] = self._excluded(one[0], two[0], said)
        return self._apart[key]

    def _dead(self, spot: RegionPlace) -> bool:
        """Whether no thread comes there, because what it is given fails a test."""
        known = self.at(spot)
        if not known:
            return False
        if (spot[0], known) not in self._apart:
            said = [of_thread(e, 1, self.own[spot[0]]) for e in formulas(known)]
            self._apart[spot[0], known] = self._excluded(spot[0], spot[0], said)
        return self._apart[spot[0], known]

    def broken(self, one: RegionPlace, two: RegionPlace) -> bool:
        """While a thread knows of a global, or will as soon as it starts, the one that created it must not write it."""
        written = self._written.get(two, frozenset())
        if one[0] == two[0] or not written or self._dead(two):
            return False
        facts, made = self.at(one), self._created.get(one[0])
        if one[1] == self.program.templates[one[0]].cfa.start and made is not None:
            facts = self._given(one[0]) if two[0] != made.creator or two[1] in self._after(made) else frozenset()
        cells = {v for f in facts for v in f.cells if name_of(v) in written}
        return bool(cells) and any(e.source == two[1] and writes_cell(e.op, v)
                                   for e in self.program.templates[two[0]].cfa.edges for v in cells)

    @cached_property
    def _written(self) -> dict[RegionPlace, frozenset[str]]:
        """The globals that steps from each place write."""
        found: dict[RegionPlace, frozenset[str]] = {}
        for n, t in enumerate(self.program.templates):
            for e in t.cfa.edges:
                found[n, e.source] = found.get((n, e.source), frozenset()) | (frozenset(op_writes(e.op)) - self.own[n])
        return found

    def _excluded(self, n: int, m: int, said: Sequence[Expr]) -> bool:
        """Whether the conditions cannot hold together."""
        from circ.smt import Encoder, SatResult, Solver  # the solver is heavy

        encoder, solver = Encoder(self.program.ints), Solver(_EFFORT)
        terms = {v.name: encoder.symbol(v) for v in self.program.globals}
        for number, t in ((1, n), (2, m)):
            terms |= {f"{v.name}@{number}": encoder.symbol(v, f"@{number}") for v in self.program.templates[t].locals}
        solver.add(*(encoder.cond(e, terms) for e in said))
        return solver.check() is SatResult.UNSAT


def _connected(places: Sequence[int], ways: Sequence[tuple[int, int]]) -> frozenset[int]:
    """The locations that the ways lead to from some of them, with these."""
    out: dict[int, list[int]] = {}
    for source, target in ways:
        out.setdefault(source, []).append(target)
    found, todo = set(places), list(places)
    while todo:
        new = [q for q in out.get(todo.pop(), ()) if q not in found]
        found.update(new)
        todo += new
    return frozenset(found)


def _made(program: Program, n: int) -> Created | None:
    """How threads of the template are created, if they wait for a flag that is nothing else and one thread sets it."""
    t = program.templates[n]
    flags = {cell for e in t.cfa.edges if e.source == t.cfa.start for cell in _awaited(e.op)}
    if len(flags) != 1:
        return None
    [flag] = flags
    setters = [(m, i) for m, other in enumerate(program.templates) for i, e in enumerate(other.cfa.edges)
               if any(isinstance(p, Assign) and p.target == flag and p.value != Const(0, BOOL) for p in primitive(e.op))]
    creators = {m for m, _ in setters}
    if len(creators) != 1 or n in creators or program.templates[next(iter(creators))].count != 1:
        return None
    return Created(flag, creators.pop(), tuple(i for _, i in setters))


def _awaited(op: Op) -> Iterator[Var]:
    """Flags that a step tests for 1 and clears."""
    tested: list[Lvalue] = []
    for p in primitive(op):
        match p:
            case Assume(cond=Read(lvalue=Var() as v)) if v.type == BOOL:
                tested.append(v)
            case Assign(target=Var() as v, value=Const(value=0)) if v in tested:
                yield v

