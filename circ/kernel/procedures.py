"""Functions with contracts inside a thread's automaton: one copy, which calls enter and which returns to where it came from.

Such a copy is an entry (a location that claims `requires`), a body, an exit (a location that claims `ensures`) and behind it a
location whose steps each wait for one value of the register that every call sets. It counts as a procedure only if all this can
be seen of the automaton: the body is entered from the entry alone and left at the exit alone, nothing in it writes the register
or leads back to the entry, and each way back is that of the calls which set its value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from frontend.cfa import Assign, Assume, Cfa, ErrorKind, op_writes, primitive
from frontend.expr import Binary, Const, Read, Var


@dataclass(frozen=True, slots=True)
class Claim:
    """A location with two edges: one that goes on, one to an error location of this kind."""

    kind: ErrorKind
    passes: int
    fails: int


@dataclass(frozen=True, slots=True)
class Procedure:
    """`calls`: for each call edge the edge by which it comes back. `writes`: all that happens between entry and exit."""

    entry: int
    exit: int
    back: int
    body: frozenset[int]
    calls: Mapping[int, int]
    writes: frozenset[str]


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


def procedures(cfa: Cfa, found: Mapping[int, Claim]) -> tuple[Procedure, ...]:
    """The procedures, those that call no other first; what does not look like one in every respect is none."""
    search = _Search(cfa, found)
    while any(search.more()):
        pass
    return tuple(search.known.values())


class _Search:
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
        body = self._body(entry, exit_)
        if calls is None or body is None:
            return None
        register, pairs = calls
        writes = self._writes(body)
        edges = (self.claims[entry].passes, self.claims[exit_].passes)
        if register in writes or any(register in op_writes(self.cfa.edges[i].op) for i in edges):
            return None
        if body & {entry, back, self.cfa.start} or not self._closed(body, entry, exit_):
            return None
        return Procedure(entry, exit_, back, body, pairs, writes)

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

    def _body(self, entry: int, exit_: int) -> frozenset[int] | None:
        """What is reached from the entry before the exit; calls of known procedures lead to their ways back."""
        first = self.cfa.edges[self.claims[entry].passes].target
        seen, work, met = {first}, [first], first == exit_
        if met:
            return frozenset()
        while work:
            q = work.pop()
            for i in self.out.get(q, []):
                target = self._after(i)
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

    def _writes(self, body: frozenset[int]) -> frozenset[str]:
        found: set[str] = set()
        for q in body:
            for i in self.out.get(q, []):
                found |= set(op_writes(self.cfa.edges[i].op))
                called = self.known.get(self.cfa.edges[i].target)
                if called is not None:
                    found |= called.writes | set(op_writes(self.cfa.edges[self.claims[called.entry].passes].op))
                    found |= set(op_writes(self.cfa.edges[self.claims[called.exit].passes].op))
        return frozenset(found)

    def _closed(self, body: frozenset[int], entry: int, exit_: int) -> bool:
        """Whether only the entry, the body and calls made in it lead into the body or to the exit."""
        returns = {way: {self.cfa.edges[c].source for c, w in p.calls.items() if w == way}
                   for p in self.known.values() for way in p.calls.values()}
        for q in (*sorted(body), exit_):
            for i in self.into.get(q, []):
                source = self.cfa.edges[i].source
                if source in body or i == self.claims[entry].passes:
                    continue
                if not returns.get(i, {-1}) <= body:
                    return False
        return True
