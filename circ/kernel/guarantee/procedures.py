"""Functions with contracts inside a thread's automaton: one copy, which calls enter and which returns to where it came from.

Such a copy is an entry (a location that claims `requires`), a body, an exit (a location that claims `ensures`) and behind it a
location whose steps each wait for one value of the register that every call sets. It counts as a procedure only if all this can
be seen of the automaton: the body is entered from the entry alone and left at the exit alone, nothing in it writes the register
or leads back to the entry, and each way back is that of the calls which set its value.

A procedure may call itself. Such a call saves what the activation needs in variables of its own before it, and behind its way
back stands a step that gives it back (`Doubt.frame`): these variables are then what they were before the call, and so is what
is given back, since every activation has its own. The register, and what the entry writes, must be among it. That all is saved
on the one way to the call is checked: then what is given back as it was saved is, to the activation, never changed on this way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from frontend.program import Assign, Assume, Binary, Cfa, Const, ErrorKind, Havoc, Op, Read, Var, name_of, op_writes, primitive
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """A location with two edges: one that goes on, one to an error location of this kind."""

    kind: ErrorKind
    passes: int
    fails: int


@dataclass(frozen=True, slots=True)
class ActivationFrame:
    """What an activation has before it calls the procedure again, and behind it.

    `gives`: the edge that gives back. `before`: the edges from where all is saved up to the call. `saved`: the variables in
    between. `same`: what is given back as it was.
    """

    gives: int
    before: frozenset[int]
    saved: frozenset[str]
    same: frozenset[str]


@dataclass(frozen=True, slots=True)
class Procedure:
    """`calls`: for each call edge the edge by which it comes back. `writes`: all that happens between entry and exit.

    `frames`: of each call that the body makes of the procedure itself.
    """

    entry: int
    exit: int
    back: int
    body: frozenset[int]
    calls: Mapping[int, int]
    writes: frozenset[str]
    frames: Mapping[int, ActivationFrame]


def claims(cfa: Cfa) -> dict[int, Claim]:
    """The locations at which annotations claim something."""
    out: dict[int, list[int]] = {}
    for i, e in enumerate(cfa.edges):
        out.setdefault(e.source, []).append(i)
    found: dict[int, Claim] = {}
    for q, edges in out.items():
        errors = [i for i in edges if cfa.edges[i].target in cfa.errors]
        if len(edges) == 2 and len(errors) == 1:
            kind = cfa.errors[cfa.edges[errors[0]].target].kind
            if kind in (ErrorKind.LOOP, ErrorKind.REQUIRES, ErrorKind.ENSURES):
                found[q] = Claim(kind, next(i for i in edges if i != errors[0]), errors[0])
    return found


def unchanged(frames: Iterable[ActivationFrame]) -> dict[int, frozenset[str]]:
    """What edges around calls of oneself write, and is given back."""
    return {i: f.same for f in frames for i in (f.gives, *f.before)}


def procedures(cfa: Cfa, found: Mapping[int, Claim]) -> tuple[Procedure, ...]:
    """The procedures, those that call no other first; what does not look like one in every respect is none."""
    search = _ProcedureSearch(cfa, found)
    while any(search.more()):
        pass
    return tuple(search.known.values())


class _ProcedureSearch:
    def __init__(self, cfa: Cfa, found: Mapping[int, Claim]) -> None:
        self.cfa, self.claims = cfa, found
        self.out: dict[int, list[int]] = {}
        self.into: dict[int, list[int]] = {}
        for i, e in enumerate(cfa.edges):
            self.out.setdefault(e.source, []).append(i)
            self.into.setdefault(e.target, []).append(i)
        self.known: dict[int, Procedure] = {}

    def more(self) -> Iterator[bool]:
        for entry, claim in self.claims.items():
            if claim.kind is ErrorKind.REQUIRES and entry not in self.known and entry != self.cfa.start:
                made = next((p for x, c in self.claims.items() if c.kind is ErrorKind.ENSURES
                             and (p := self._procedure(entry, x)) is not None), None)
                if made is not None:
                    self.known[entry] = made
                    yield True

    def _procedure(self, entry: int, exit_: int) -> Procedure | None:
        back = self.cfa.edges[self.claims[exit_].passes].target
        if self.into.get(back, []) != [self.claims[exit_].passes] or any(p.exit == exit_ for p in self.known.values()):
            return None
        calls = self._calls(entry, back)
        if calls is None:
            return None
        register, pairs = calls
        body = self._body(entry, exit_, pairs)
        if body is None:
            return None
        own = frozenset((*op_writes(self.cfa.edges[self.claims[entry].passes].op), register))
        again = [c for c in pairs if self.cfa.edges[c].source in body]
        frames = {c: f for c in again if (f := self._frame(c, pairs[c])) is not None and own <= f.same}
        if len(frames) < len(again):
            return None
        writes = self._writes(body, unchanged(frames.values()))
        edges = (self.claims[entry].passes, self.claims[exit_].passes)
        if own & writes or any(register in op_writes(self.cfa.edges[i].op) for i in edges):
            return None
        if body & {entry, back, self.cfa.start} or not self._closed(body, entry, exit_, pairs):
            return None
        return Procedure(entry, exit_, back, body, pairs, writes, frames)

    def _frame(self, call: int, way: int) -> ActivationFrame | None:
        """What is saved before a call and given back behind its way back, if that can be seen of both."""
        behind = self.cfa.edges[way].target
        if self.into[behind] != [way] or len(self.out.get(behind, [])) != 1:
            return None
        (gives,) = self.out[behind]
        pairs = self._pairs(self.cfa.edges[gives].op)
        if pairs is None or not any(d.frame for d in self.cfa.edges[gives].doubts):
            return None
        here, way_there = call, [call]
        while True:
            q = self.cfa.edges[here].source
            if len(self.into.get(q, [])) != 1 or len(self.out[q]) != 1 or q == self.cfa.start:
                return None
            (here,) = self.into[q]
            if here in way_there:
                return None
            if set(op_writes(self.cfa.edges[here].op)) & set(pairs):
                break
            way_there.append(here)
        done = self._saves(here)
        if done is None:
            return None
        same = frozenset(v for s, v in pairs.items() if done.get(s) == v)
        return ActivationFrame(gives, frozenset(way_there), frozenset(pairs), same)

    def _saves(self, edge: int) -> dict[str, str] | None:
        """Of an edge that does nothing but copy: the variable that each target gets, empty if it gets something else."""
        done: dict[str, str] = {}
        for op in primitive(self.cfa.edges[edge].op):
            match op:
                case Assign(target=Var(name=saved), value=Read(lvalue=Var(name=name))):
                    done[saved] = name
                case Assign(target=Var(name=saved)):
                    done[saved] = ""
                case _:
                    return None
        return done if not set(done) & set(done.values()) else None

    @staticmethod
    def _pairs(op: Op) -> dict[str, str] | None:
        """Of a step that forgets variables and then gives each of them to another one: which to which."""
        match list(primitive(op)):
            case [Havoc(targets=forgotten, whole=()), *gives]:
                names = [name_of(v) for v in forgotten if isinstance(v, Var)]
                pairs = {value.lvalue.name: name_of(target) for p in gives if isinstance(p, Assign)
                         for target, value in [(p.target, p.value)] if isinstance(value, Read) and isinstance(value.lvalue, Var)}
                each_once = len(names) == len(forgotten) == len(gives) == len(pairs) == len(set(pairs.values()))
                if each_once and set(names) == set(pairs) and not set(pairs) & set(pairs.values()):
                    return pairs
        return None

    def _calls(self, entry: int, back: int) -> tuple[str, dict[int, int]] | None:
        """The register, and for each call edge its way back: the only edge that waits for the value it sets."""
        ways: dict[tuple[str, int], int] = {}
        for i in self.out.get(back, []):
            match self.cfa.edges[i].op:
                case Assume(cond=Binary(op="==", left=Read(lvalue=Var(name=r)), right=Const(value=n))) if (r, n) not in ways:
                    ways[r, n] = i
                case _:
                    return None
        registers = {r for r, _ in ways}
        pairs: dict[int, int] = {}
        for i in self.into.get(entry, []):
            last = list(primitive(self.cfa.edges[i].op))[-1:]
            match last:
                case [Assign(target=Var(name=r), value=Const(value=n))] if (r, n) in ways:
                    pairs[i] = ways[r, n]
                case _:
                    return None
        return (registers.pop(), pairs) if len(registers) == 1 and pairs else None

    def _body(self, entry: int, exit_: int, own: Mapping[int, int]) -> frozenset[int] | None:
        """What is reached from the entry before the exit; calls of known procedures, and its own, lead to their ways back."""
        first = self.cfa.edges[self.claims[entry].passes].target
        seen, work, met = {first}, [first], first == exit_
        if met:
            return frozenset()
        while work:
            q = work.pop()
            for i in self.out.get(q, []):
                target = self.cfa.edges[own[i]].target if i in own else self._after(i)
                met = met or target == exit_
                if target != exit_ and target not in seen:
                    seen.add(target)
                    work.append(target)
        return frozenset(seen) if met else None

    def _after(self, edge: int) -> int:
        """Where control is behind an edge, or behind the call that it makes."""
        target = self.cfa.edges[edge].target
        called = self.known.get(target)
        return target if called is None else self.cfa.edges[called.calls[edge]].target

    def _writes(self, body: frozenset[int], same: Mapping[int, frozenset[str]]) -> frozenset[str]:
        """What an activation may find changed at its end."""
        found: set[str] = set()
        for q in body:
            for i in self.out.get(q, []):
                found |= set(op_writes(self.cfa.edges[i].op)) - same.get(i, frozenset())
                called = self.known.get(self.cfa.edges[i].target)
                if called is not None:
                    found |= called.writes | set(op_writes(self.cfa.edges[self.claims[called.entry].passes].op))
                    found |= set(op_writes(self.cfa.edges[self.claims[called.exit].passes].op))
        return frozenset(found)

    def _closed(self, body: frozenset[int], entry: int, exit_: int, own: Mapping[int, int]) -> bool:
        """Whether only the entry, the body and calls made in it, `own` among them, lead into the body or to the exit."""
        returns = {way: {self.cfa.edges[c].source for c, w in calls.items() if w == way}
                   for calls in (own, *(p.calls for p in self.known.values())) for way in calls.values()}
        for q in (*sorted(body), exit_):
            for i in self.into.get(q, []):
                source = self.cfa.edges[i].source
                if source in body or i == self.claims[entry].passes:
                    continue
                if not returns.get(i, {-1}) <= body:
                    return False
        return True
