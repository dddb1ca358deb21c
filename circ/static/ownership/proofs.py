"""Proofs by ownership about one program: tries what may be counted as links until the variable asked about is proved."""

from __future__ import annotations

from typing import Any

from circ.kernel.ownership import Disallowed, Heap, written
from circ.static.live_locals import LiveLocals, live_locals
from circ.static.ownership.candidates import Guess, guess
from circ.static.ownership.fixpoint import Fixpoint, TooMuch
from frontend.program import Assign, Element, Ints, Program, name_of, op_writes, primitive

EFFORT = 15_000
"""Steps of all tries together."""
MOST_TRIES = 24


class Ownership:
    """What can be proved of one program, worked out when it is first asked for."""

    def __init__(self, program: Program) -> None:
        self.program = program
        exact = program.ints == Ints.EXACT
        self._guess: Guess | None = guess(program) if exact else None
        self._todo: list[frozenset[str]] = [frozenset()]
        self._tried: set[frozenset[str]] = set()
        self._guards: dict[str, str] | None = None
        self._effort = EFFORT
        self._live: list[LiveLocals] = []
        self._proved: dict[str, dict[str, Any]] = {}

    def body(self, variable: str) -> dict[str, Any] | None:
        """A proof about the variable; None if there is none."""
        if self._guess is None or variable not in self._guess.arrays:
            return None
        if self._guards is None:
            self._live = [live_locals(t) for t in self.program.templates]
            self._guards = self._find_guards(self._guess)
        while variable not in self._proved and self._todo and len(self._tried) < MOST_TRIES and self._effort > 0:
            self._try(self._guess, self._todo.pop())
        return self._proved.get(variable)

    def _find_guards(self, known: Guess) -> dict[str, str]:
        """By pointer the lock that is held wherever it is written while others run."""
        without = frozenset((*known.links, *(s.argument for s in known.slots), *(f"unguarded {p}" for p in known.pointers)))
        while True:
            flow = Fixpoint(known.heap(self.program, {}, without), self._live, self._effort)
            try:
                flow.close()
                break
            except Disallowed as error:
                if error.culprit in without:
                    return {}
                without |= {error.culprit}
            except TooMuch:
                return {}
            finally:
                self._effort = flow.effort
        found: dict[str, set[str]] = {}
        for n, t in enumerate(self.program.templates):
            for e in t.cfa.edges:
                for name in set(op_writes(e.op)) & set(known.pointers):
                    for shape in flow.cases[n].get(e.source, ()):
                        index = next((p.target.index for p in primitive(e.op) if isinstance(p, Assign)
                                      and isinstance(p.target, Element) and name_of(p.target) == name), None)
                        text = "" if index is None else flow.steps[n].reader.index_text(shape.copy(), index)
                        if not flow.steps[n].reader.alone(shape):
                            locks = {lock for lock, at in shape.held if at in ("", text)}
                            found[name] = found.get(name, locks) & locks
        return {name: min(locks) for name, locks in found.items() if locks}

    def _try(self, known: Guess, without: frozenset[str]) -> None:
        if without in self._tried:
            return
        self._tried.add(without)
        assert self._guards is not None
        heap = known.heap(self.program, self._guards, without)
        flow = Fixpoint(heap, self._live, self._effort)
        try:
            flow.close()
        except Disallowed as error:
            culprits = [*error.others, error.culprit]
            for culprit in culprits:
                more = f"unguarded {culprit}" if culprit in without else culprit
                self._todo.append(without | {more})
            return
        except TooMuch:
            return
        finally:
            self._effort = flow.effort
        body = _written(heap, flow)
        for v in heap.arrays:
            if v not in self._proved and _allowed(self.program, flow, v, heap.arrays[v]):
                self._proved[v] = body


def _allowed(program: Program, flow: Fixpoint, variable: str, site: int) -> bool:
    """Whether every access is the owner's."""
    for n, e, a in program.accesses.get(variable, ()):
        for shape in flow.cases[n].get(e.source, ()):
            if flow.steps[n].reader.alone(shape):
                continue
            if not isinstance(a.lvalue, Element) or a.whole or not flow.steps[n].reader.may_access(shape, a.lvalue.index, site):
                return False
    return True


def _written(heap: Heap, flow: Fixpoint) -> dict[str, Any]:
    return {
        "sites": [[s.base, s.stride, s.limit, s.counter, s.first] for s in heap.sites],
        "links": [[a, s, t] for a, (s, t) in heap.links.items()],
        "arrays": [[a, s] for a, s in heap.arrays.items()],
        "locks": [[g.lock, list(g.scalars), [[r, s] for r, s in g.roots.items()], [written(s) for s in flow.invariants[name]]]
                  for name, g in heap.locks.items()],
        "slots": [[s.template, s.flag, s.argument, s.site, s.constant] for s in heap.slots],
        "starts": [[t, list(addresses)] for t, addresses in heap.starts.items()],
        "cases": [[[q, written(s)] for q, shapes in sorted(at.items()) for s in shapes] for at in flow.cases],
    }
